#include "optim/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/core/expect_error.h"

namespace tacit::optim {
namespace {

std::shared_ptr<const Schema> TwoElements(const std::string& name = "w") {
  return *Schema::Create({TensorSpec{name, Shape{2}}});
}

ParameterVector Vector(std::vector<float> values, std::shared_ptr<const Schema> schema = TwoElements()) {
  return *ParameterVector::Create(std::move(schema), std::move(values));
}

std::vector<float> Values(const ParameterVector& vector) { return {vector.values().begin(), vector.values().end()}; }

TEST(OptimizerTest, PlainStep) {
  Optimizer optimizer = *Optimizer::Create({.learning_rate = 0.5});
  ParameterVector parameters = Vector({1, -2});
  ASSERT_TRUE(optimizer.Step(Vector({2, 4}), parameters).ok());
  EXPECT_EQ(Values(parameters), (std::vector<float>{0, -4}));
  ASSERT_TRUE(optimizer.Step(Vector({2, 4}), parameters).ok());
  EXPECT_EQ(Values(parameters), (std::vector<float>{-1, -6}));
}

// By hand, all exact in binary: v1 = 2, p1 = 1 - .5 * 2 = 0; v2 = .5 * 2 + 1 = 2, p2 = -1; v3 = .5 * 2 - 4 = -3,
// p3 = .5.
TEST(OptimizerTest, MomentumIsHeavyBallWithoutDampening) {
  Optimizer optimizer = *Optimizer::Create({.learning_rate = 0.5, .momentum = 0.5});
  ParameterVector parameters = Vector({1, 1});
  const float gradients[] = {2, 1, -4};
  const float expected[] = {0, -1, 0.5};
  for (int step = 0; step < 3; ++step) {
    ASSERT_TRUE(optimizer.Step(Vector({gradients[step], gradients[step]}), parameters).ok());
    EXPECT_EQ(Values(parameters), (std::vector<float>{expected[step], expected[step]})) << "step " << step;
  }
}

// Decay acts on the parameters before the step, is scaled by the learning rate and never enters the velocity:
// p1 = 4 - .5 * 2 - .5 * .25 * 4 = 2.5; v2 = .5 * 2 + 0 = 1, p2 = 2.5 - .5 - .5 * .25 * 2.5 = 1.6875.
TEST(OptimizerTest, WeightDecayIsDecoupled) {
  Optimizer optimizer = *Optimizer::Create({.learning_rate = 0.5, .momentum = 0.5, .weight_decay = 0.25});
  ParameterVector parameters = Vector({4, 4});
  ASSERT_TRUE(optimizer.Step(Vector({2, 2}), parameters).ok());
  EXPECT_EQ(Values(parameters), (std::vector<float>{2.5, 2.5}));
  ASSERT_TRUE(optimizer.Step(Vector({0, 0}), parameters).ok());
  EXPECT_EQ(Values(parameters), (std::vector<float>{1.6875, 1.6875}));
}

TEST(OptimizerTest, ResetForgetsTheVelocity) {
  Optimizer optimizer = *Optimizer::Create({.learning_rate = 1, .momentum = 0.5});
  ParameterVector parameters = Vector({0, 0});
  ASSERT_TRUE(optimizer.Step(Vector({8, 8}), parameters).ok());
  optimizer.Reset();
  ASSERT_TRUE(optimizer.Step(Vector({1, 1}), parameters).ok());
  EXPECT_EQ(Values(parameters), (std::vector<float>{-9, -9}));
}

TEST(OptimizerTest, TheGradientIsLeftAlone) {
  Optimizer optimizer = *Optimizer::Create({.learning_rate = 1, .momentum = 0.5});
  const ParameterVector gradient = Vector({1, 2});
  ParameterVector parameters = Vector({0, 0});
  ASSERT_TRUE(optimizer.Step(gradient, parameters).ok());
  ASSERT_TRUE(optimizer.Step(gradient, parameters).ok());
  EXPECT_EQ(Values(gradient), (std::vector<float>{1, 2}));
}

TEST(OptimizerTest, RefusesOtherSchemas) {
  Optimizer optimizer = *Optimizer::Create({.learning_rate = 1, .momentum = 0.5});
  ParameterVector parameters = Vector({1, 1});
  EXPECT_TRUE(FailsWith(optimizer.Step(Vector({1, 1}, TwoElements("b")), parameters),
                        absl::StatusCode::kInvalidArgument, {"schema"}));
  EXPECT_EQ(Values(parameters), (std::vector<float>{1, 1}));
  ASSERT_TRUE(optimizer.Step(Vector({1, 1}), parameters).ok());

  ParameterVector other = Vector({1, 1}, TwoElements("b"));
  EXPECT_TRUE(FailsWith(optimizer.Step(Vector({1, 1}, TwoElements("b")), other), absl::StatusCode::kInvalidArgument,
                        {"earlier steps"}));
  EXPECT_EQ(Values(other), (std::vector<float>{1, 1}));
  optimizer.Reset();
  EXPECT_TRUE(optimizer.Step(Vector({1, 1}, TwoElements("b")), other).ok());
}

TEST(OptimizerTest, RefusesValuesOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  for (const double rate : {0.0, -1.0, nan, inf}) {
    EXPECT_TRUE(FailsWith(Optimizer::Create({.learning_rate = rate}).status(), absl::StatusCode::kInvalidArgument,
                          {"learning_rate"}));
  }
  for (const double momentum : {-0.1, 1.0, nan}) {
    EXPECT_TRUE(FailsWith(Optimizer::Create({.momentum = momentum}).status(), absl::StatusCode::kInvalidArgument,
                          {"momentum"}));
  }
  for (const double decay : {-0.1, 1.1, nan}) {
    EXPECT_TRUE(FailsWith(Optimizer::Create({.weight_decay = decay}).status(), absl::StatusCode::kInvalidArgument,
                          {"weight_decay"}));
  }
}

}  // namespace
}  // namespace tacit::optim
