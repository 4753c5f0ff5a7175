// The price of per-sample gradients on three reference models, batch 128, one thread: the ordinary mean gradient
// ("plain", what training without privacy costs), and the clipped sum by every backend.
//   OMP_NUM_THREADS=1 tacit_gradient_bench
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "model/architecture/architecture.h"
#include "model/torch/runtime.h"
#include "model/torch/torch_model.h"

namespace tacit::model {
namespace {

constexpr int64_t kBatch = 128;
constexpr double kClipNorm = 1;

struct Reference {
  ModelArtifact artifact;
  ParameterVector parameters;
  Batch batch;
};

template <typename Value>
Value OrDie(absl::StatusOr<Value> value) {
  if (value.ok()) return *std::move(value);
  std::fprintf(stderr, "%s\n", value.status().ToString().c_str());
  std::exit(1);
}

Batch MakeBatch(const Shape& example_shape, int64_t classes) {
  Shape shape{kBatch};
  shape.insert(shape.end(), example_shape.begin(), example_shape.end());
  HostTensor input = OrDie(HostTensor::Zeros(DType::kFloat32, shape));
  HostTensor target = OrDie(HostTensor::Zeros(DType::kInt64, {kBatch}));
  double phase = 0;
  for (float& value : input.mutable_values<float>()) value = static_cast<float>(std::sin(phase += 0.7));
  for (int64_t row = 0; row < kBatch; ++row) target.mutable_values<int64_t>()[row] = row % classes;
  Batch batch;
  batch.inputs.push_back(std::move(input));
  batch.target = std::move(target);
  return batch;
}

ArchitectureSpec SpecOf(const std::string& name) {
  ArchitectureSpec spec;
  spec.kind = name == "mnist_convnet" ? "cnn" : "mlp";
  spec.input_shape = name == "mnist_convnet" ? Shape{1, 28, 28} : Shape{name == "mlp_tune" ? 64 : 784};
  spec.outputs = name == "mlp_tune" ? 2 : 10;
  spec.hidden = name == "mlp_tune" ? Shape{32, 16} : Shape{1024, 1024};
  spec.channels = {32, 64};
  spec.loss = "cross-entropy";
  return spec;
}

// mlp_tune: 64-32-16-2 with a frozen first layer. mnist_convnet: the Keras example. mlp_wide: 784-1024-1024-10.
Reference MakeReference(const std::string& name) {
  const ArchitectureSpec spec = SpecOf(name);
  ModelArtifact artifact = OrDie(BuildArchitecture(spec));
  if (name == "mlp_tune") {
    artifact.tensors[0].role = TensorRole::kFrozen;
    artifact.tensors[1].role = TensorRole::kFrozen;
  }
  ParameterVector parameters = OrDie(artifact.TrainableParameters());
  return {std::move(artifact), std::move(parameters), MakeBatch(spec.input_shape, spec.outputs)};
}

void Plain(benchmark::State& state, const std::string& name) {
  const Reference reference = MakeReference(name);
  const std::unique_ptr<Model> model = OrDie(LoadTorchModel(reference.artifact));
  for (auto _ : state) {
    benchmark::DoNotOptimize(OrDie(model->ComputeMeanGradient(reference.parameters, reference.batch, 1)));
  }
}

void PerSample(benchmark::State& state, const std::string& name, GradientBackend backend, int64_t max_bytes) {
  const Reference reference = MakeReference(name);
  GradientOptions options;
  options.allow_slow_operators = false;
  if (max_bytes > 0) options.max_microbatch_bytes = max_bytes;
  const auto gradients = OrDie(MakePerSampleGradients(reference.artifact, backend, options));
  for (auto _ : state) {
    benchmark::DoNotOptimize(OrDie(gradients->Compute(reference.parameters, reference.batch, kClipNorm, 1)));
  }
}

void Register() {
  for (const std::string name : {"mlp_tune", "mnist_convnet", "mlp_wide"}) {
    const auto add = [&](const std::string& backend, auto function) {
      benchmark::RegisterBenchmark((name + "/" + backend).c_str(), function)->Unit(benchmark::kMillisecond);
    };
    add("plain", [name](benchmark::State& state) { Plain(state, name); });
    add("vmap", [name](benchmark::State& state) { PerSample(state, name, GradientBackend::kVmap, 0); });
    for (const int64_t mebibytes : {16, 64, 1024}) {
      add("vmap_" + std::to_string(mebibytes) + "MiB", [name, mebibytes](benchmark::State& state) {
        PerSample(state, name, GradientBackend::kVmap, mebibytes << 20);
      });
    }
    add("loop", [name](benchmark::State& state) { PerSample(state, name, GradientBackend::kLoop, 0); });
  }
}

}  // namespace
}  // namespace tacit::model

int main(int argc, char** argv) {
  tacit::model::ConfigureRuntime(1);
  tacit::model::WarnIfBlasIsSlow();
  benchmark::AddCustomContext("libtorch", tacit::model::LibTorchVersion());
  benchmark::AddCustomContext("allocator", "glibc malloc that keeps large blocks (ConfigureRuntime)");
  tacit::model::Register();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
