#include "experiment/predictions.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "core/status.h"
#include "model/api/loss.h"

namespace tacit::experiment {
namespace {

constexpr int64_t kBatch = 256;

// A CSV field: quoted where it must be.
std::string Field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

std::string ClassName(size_t index, const std::vector<std::string>& labels) {
  return index < labels.size() ? labels[index] : absl::StrCat(index);
}

std::vector<double> Softmax(std::span<const float> logits) {
  const float largest = *std::ranges::max_element(logits);
  std::vector<double> probabilities;
  for (const float logit : logits) probabilities.push_back(std::exp(static_cast<double>(logit) - largest));
  const double sum = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  for (double& probability : probabilities) probability /= sum;
  return probabilities;
}

void AppendNumber(double value, std::string& csv) { absl::StrAppendFormat(&csv, ",%.9g", value); }

}  // namespace

absl::StatusOr<HostTensor> Predict(const ModelArtifact& artifact, const data::Dataset& dataset,
                                   const model::ModelBackend& backend) {
  TACIT_ASSIGN_OR_RETURN(const data::Dataset examples, dataset.ShapedFor(artifact.inputs));
  TACIT_ASSIGN_OR_RETURN(const ParameterVector parameters, artifact.TrainableParameters());
  TACIT_ASSIGN_OR_RETURN(const std::unique_ptr<model::Model> model, backend.LoadModel(artifact));
  HostTensor all;
  for (int64_t begin = 0; begin < examples.size(); begin += kBatch) {
    std::vector<int64_t> rows(std::min(kBatch, examples.size() - begin));
    std::iota(rows.begin(), rows.end(), begin);
    TACIT_ASSIGN_OR_RETURN(const model::Batch batch, examples.Gather(rows));
    TACIT_ASSIGN_OR_RETURN(const HostTensor part, model->Predict(parameters, batch.inputs));
    if (begin == 0) {
      Shape shape = part.shape();
      shape[0] = examples.size();
      TACIT_ASSIGN_OR_RETURN(all, HostTensor::Zeros(part.dtype(), shape));
    }
    const size_t row_bytes = part.bytes().size() / rows.size();
    std::memcpy(all.mutable_bytes().data() + begin * row_bytes, part.bytes().data(), part.bytes().size());
  }
  return all;
}

absl::StatusOr<std::string> PredictionsAsCsv(const HostTensor& outputs, const std::string& loss,
                                             const std::vector<std::string>& labels) {
  TACIT_ASSIGN_OR_RETURN(const model::LossInfo info, model::FindLoss(loss));
  const size_t rows = outputs.shape().empty() ? 0 : outputs.shape()[0];
  const size_t width = rows == 0 ? 0 : outputs.num_elements() / rows;
  std::string csv = "row";
  if (info.kind == model::LossKind::kCrossEntropy) {
    csv += ",prediction";
    for (size_t k = 0; k < width; ++k) absl::StrAppend(&csv, ",", Field("p_" + ClassName(k, labels)));
  } else if (info.kind == model::LossKind::kBinaryCrossEntropy) {
    csv += ",prediction,p_1";
  } else {
    for (size_t k = 0; k < width; ++k) absl::StrAppend(&csv, ",value_", k);
  }
  csv += "\n";
  for (size_t row = 0; row < rows; ++row) {
    const std::span<const float> values = outputs.values<float>().subspan(row * width, width);
    absl::StrAppend(&csv, row + 1);
    if (info.kind == model::LossKind::kCrossEntropy) {
      absl::StrAppend(&csv, ",", Field(ClassName(std::ranges::max_element(values) - values.begin(), labels)));
      for (const double probability : Softmax(values)) AppendNumber(probability, csv);
    } else if (info.kind == model::LossKind::kBinaryCrossEntropy) {
      absl::StrAppend(&csv, ",", Field(ClassName(values[0] > 0 ? 1 : 0, labels)));
      AppendNumber(1 / (1 + std::exp(-static_cast<double>(values[0]))), csv);
    } else {
      for (const float value : values) AppendNumber(value, csv);
    }
    csv += "\n";
  }
  return csv;
}

}  // namespace tacit::experiment
