#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/config/sections.h"
#include "core/host_tensor.h"
#include "core/model_artifact.h"
#include "model/api/batch.h"

namespace tacit::data {

// Examples in memory. Immutable once made; safe to share.
class Dataset {
 public:
  // InvalidArgument when the first dimensions differ or there is no input.
  static absl::StatusOr<Dataset> Create(std::vector<HostTensor> inputs, HostTensor target);

  int64_t size() const;
  const std::vector<HostTensor>& inputs() const { return inputs_; }
  const HostTensor& target() const { return target_; }

  // The examples `rows`, in that order; none for an empty list. OutOfRange for a row that isn't there.
  absl::StatusOr<model::Batch> Gather(std::span<const int64_t> rows) const;

  // The same examples with every input given the shape (and type) that the model expects, where the elements are as
  // many: [N, 784] or [N, 28, 28] for [1, 28, 28]. InvalidArgument says both shapes where they are not;
  // DataLoss where the model's type cannot hold a value.
  absl::StatusOr<Dataset> ShapedFor(const std::vector<InputSpec>& inputs) const;

  // The same examples with the target as `dtype`: class 0 and 1 as the numbers that a binary loss takes, say. DataLoss
  // for a value that the type cannot hold.
  absl::StatusOr<Dataset> WithTargetType(DType dtype) const;

 private:
  Dataset() = default;
  std::vector<HostTensor> inputs_;
  HostTensor target_;
};

// Reads, standardises and partitions what `config` names: csv and idx files, plain or gzip-compressed, and npy files,
// of at most 16 GiB (limits.h) plain and inflated. Features become float32; targets int64 for "class", float32 for
// "value". Errors are one line and name the file and, where there is one, the line (from 1, the header being line 1)
// and the column, or the example (from 0): NotFound for a missing file or column, DataLoss or OutOfRange for contents
// that don't fit, InvalidArgument for a config that doesn't. They may quote a value of the data, so they are for the
// data holder's eyes and never sent.
absl::StatusOr<Dataset> LoadDataset(const config::DataConfig& config);

// As LoadDataset, for prediction: the target need not be there (csv: the column may be missing; idx, npy: target_path
// is not read). The target of the result is zeros. With missing = "drop-row" there are fewer results than rows.
absl::StatusOr<Dataset> LoadInputs(const config::DataConfig& config);

}  // namespace tacit::data
