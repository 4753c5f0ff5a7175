#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model_artifact.h"

namespace tacit::model {

// A model of one of the built-in kinds. Every kind takes one float32 input, "input", and flattens what it must.
//
//   linear  flatten, linear. Starts at zero: the loss is convex, and zero is the one start that favours no class.
//   mlp     flatten, then linear and activation for every entry of `hidden`, linear.
//   cnn     for every entry of `channels` a convolution (no padding, stride 1), activation, max pooling by 2; flatten,
//           linear. With channels {32, 64}, kernel 3 and 1x28x28 the convolutional network of the Keras MNIST example.
//
// Weights and biases of mlp and cnn start uniformly in +-1/sqrt(fan in), PyTorch's default, from a RandomStream of
// `seed` for each tensor: the same on every machine and every LibTorch.
struct ArchitectureSpec {
  std::string kind;                 // linear, mlp or cnn
  Shape input_shape;                // of one example: any for linear and mlp, [channels, height, width] for cnn
  int64_t outputs = 0;              // classes, or values
  std::vector<int64_t> hidden;      // mlp: the widths of the hidden layers
  std::vector<int64_t> channels;    // cnn: the channels of the convolutions
  int64_t kernel_size = 3;          // cnn
  std::string activation = "relu";  // mlp and cnn: relu, tanh or gelu
  bool bias = true;
  std::string loss;  // model/api/loss.h
  uint64_t seed = 0;
};

// InvalidArgument names the field that is wrong, and the known names where it is a name.
absl::StatusOr<ModelArtifact> BuildArchitecture(const ArchitectureSpec& spec);

}  // namespace tacit::model
