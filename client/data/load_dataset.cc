#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/data/csv_source.h"
#include "client/data/dataset.h"
#include "client/data/gzip.h"
#include "client/data/idx_source.h"
#include "client/data/limits.h"
#include "client/data/npy_source.h"
#include "client/data/partition.h"
#include "client/data/standardise.h"
#include "core/file.h"
#include "core/status.h"

namespace tacit::data {
namespace {

template <typename T>
absl::StatusOr<T> Named(absl::StatusOr<T> result, const std::string& path) {
  if (!result.ok()) return Annotate(result.status(), path);
  return result;
}

absl::StatusOr<std::string> ReadText(const std::string& path) {
  TACIT_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path, kMaxDataBytes));
  if (!IsGzip(bytes)) return bytes;
  return Named(Gunzip(bytes, kMaxDataBytes), path);
}

absl::StatusOr<Table> LoadCsv(const config::DataConfig& config, bool with_target) {
  Table table;
  {
    TACIT_ASSIGN_OR_RETURN(const std::string text, ReadText(config.path));
    TACIT_ASSIGN_OR_RETURN(table, ParseCsv(config.path, text, config, with_target));
  }
  if (!config.partition) return table;
  TACIT_ASSIGN_OR_RETURN(const std::vector<int64_t> rows,
                         Named(PartitionRows(table.features.shape().front(), *config.partition), config.path));
  TACIT_ASSIGN_OR_RETURN(table.features, table.features.Gather(rows));
  TACIT_ASSIGN_OR_RETURN(table.target, table.target.Gather(rows));
  return table;
}

absl::StatusOr<RawArray> ReadArray(const std::string& format, const std::string& path) {
  TACIT_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path, kMaxDataBytes));
  return Named(format == "idx" ? ParseIdx(std::move(bytes)) : ParseNpy(std::move(bytes)), path);
}

absl::StatusOr<std::vector<int64_t>> ChooseRows(int64_t rows, const config::DataConfig& config) {
  if (config.partition) return Named(PartitionRows(rows, *config.partition), config.path);
  std::vector<int64_t> all(static_cast<size_t>(rows));
  std::iota(all.begin(), all.end(), int64_t{0});
  return all;
}

// A target array as the model takes it: [N] for classes, [N] or [N, k] for values.
absl::StatusOr<HostTensor> LoadArrayTarget(const config::DataConfig& config, int64_t examples,
                                           std::span<const int64_t> rows) {
  if (!config.target_path) return absl::InvalidArgumentError("target_path: is missing: the file with the targets");
  TACIT_ASSIGN_OR_RETURN(const RawArray array, ReadArray(config.format, *config.target_path));
  if (array.rows() != examples) {
    return absl::DataLossError(absl::StrCat(*config.target_path, ": has ", array.rows(), " targets, but ", config.path,
                                            " has ", examples, " examples"));
  }
  return Named(config.target_type == "class" ? array.ToClasses(rows) : array.ToFloats(rows), *config.target_path);
}

// The features are converted first and their file's bytes dropped before the targets are read.
absl::StatusOr<Table> LoadArrays(const config::DataConfig& config, bool with_target) {
  Table table;
  std::vector<int64_t> rows;
  int64_t examples = 0;
  {
    TACIT_ASSIGN_OR_RETURN(const RawArray array, ReadArray(config.format, config.path));
    examples = array.rows();
    TACIT_ASSIGN_OR_RETURN(rows, ChooseRows(examples, config));
    TACIT_ASSIGN_OR_RETURN(table.features, Named(array.ToFloats(rows), config.path));
  }
  if (with_target) {
    TACIT_ASSIGN_OR_RETURN(table.target, LoadArrayTarget(config, examples, rows));
  } else {
    const DType type = config.target_type == "class" ? DType::kInt64 : DType::kFloat32;
    TACIT_ASSIGN_OR_RETURN(table.target, HostTensor::Zeros(type, {static_cast<int64_t>(rows.size())}));
  }
  return table;
}

absl::StatusOr<Dataset> Load(const config::DataConfig& config, bool with_target) {
  if (config.format != "csv" && config.format != "idx" && config.format != "npy") {
    return absl::InvalidArgumentError(absl::StrCat("format: is '", config.format, "', must be one of csv, idx, npy"));
  }
  TACIT_ASSIGN_OR_RETURN(Table table,
                         config.format == "csv" ? LoadCsv(config, with_target) : LoadArrays(config, with_target));
  if (config.standardise) {
    TACIT_RETURN_IF_ERROR(Annotate(Standardise(*config.standardise, table.features), config.path));
  }
  std::vector<HostTensor> inputs;
  inputs.push_back(std::move(table.features));
  return Dataset::Create(std::move(inputs), std::move(table.target));
}

}  // namespace

absl::StatusOr<Dataset> LoadDataset(const config::DataConfig& config) { return Load(config, true); }

absl::StatusOr<Dataset> LoadInputs(const config::DataConfig& config) { return Load(config, false); }

}  // namespace tacit::data
