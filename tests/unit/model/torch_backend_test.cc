// The parts below the public factories: LibTorch's layers, and the allow-list against LibTorch's own schemas.
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "model/api/allowed_operators.h"
#include "model/torch/gradient/functorch_compat.h"
#include "model/torch/graph/dropout.h"

namespace tacit::torch_backend {
namespace {

TEST(Layers, AreGoneAfterAnException) {
  try {
    const VmapLayer vmap(4);
    const GradLayer grad;
    EXPECT_TRUE(InsideLayer());
    throw std::runtime_error("inside");
  } catch (const std::runtime_error&) {
  }
  EXPECT_FALSE(InsideLayer());
  const VmapLayer again(2);
  EXPECT_TRUE(InsideLayer());
}

TEST(Layers, BatchedTensorsLookLikeOneSample) {
  at::Tensor result;
  at::Tensor constant;
  {
    const VmapLayer vmap(3);
    const at::Tensor sample = MakeBatched(at::ones({3, 2}), vmap.level());
    EXPECT_EQ(sample.sizes(), at::IntArrayRef({2}));
    result = Unbatch(sample.add(1), 3);
    constant = Unbatch(at::zeros({5}), 3);
  }
  EXPECT_EQ(result.sizes(), at::IntArrayRef({3, 2}));
  EXPECT_EQ(constant.sizes(), at::IntArrayRef({3, 5}));
}

TEST(AllowedOperators, ExistHereAndArePure) {
  for (const absl::string_view name : model::AllowedOperators()) {
    const std::string text(name);
    const size_t dot = text.find('.');
    const auto op = c10::Dispatcher::singleton().findSchema(
        {text.substr(0, dot), dot == std::string::npos ? "" : text.substr(dot + 1)});
    ASSERT_TRUE(op.has_value()) << text;
    for (const c10::Argument& argument : op->schema().arguments()) {
      EXPECT_FALSE(argument.alias_info() != nullptr && argument.alias_info()->isWrite()) << text;
    }
    // Nothing that gives a number, a shape or a list that depends on the data.
    for (const c10::Argument& result : op->schema().returns()) {
      const std::string type = result.type()->str();
      EXPECT_TRUE(type == "Tensor" || type == "Tensor[]") << text << " gives " << type;
    }
  }
}

TEST(DropoutMasks, OneSampleHasOneMaskWhereverItIsDrawn) {
  const at::Tensor batch = DropoutMasks(7, 0, 4).Draw(2, {4, 5}, 0.5);
  const at::Tensor third = DropoutMasks(7, 2, 1).Draw(2, {1, 5}, 0.5);
  EXPECT_TRUE(batch[2].equal(third[0]));
  EXPECT_FALSE(batch[0].equal(batch[1]));
  EXPECT_FALSE(batch.equal(DropoutMasks(7, 0, 4).Draw(3, {4, 5}, 0.5)));
  EXPECT_FALSE(batch.equal(DropoutMasks(8, 0, 4).Draw(2, {4, 5}, 0.5)));
  EXPECT_TRUE(DropoutMasks(7, 0, 1).Draw(0, {8}, 0).equal(at::zeros({8})));
  EXPECT_TRUE(DropoutMasks(7, 0, 1).Draw(0, {8}, 1).equal(at::ones({8})));
}

}  // namespace
}  // namespace tacit::torch_backend
