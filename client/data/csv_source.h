#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/config/sections.h"
#include "core/host_tensor.h"

namespace tacit::data {

struct Table {
  HostTensor features;  // float32 [N, columns]
  HostTensor target;    // int64 [N] for classes, float32 [N] for values; zeros without a target
};

// Reads CSV text with a header, as `config` says (columns, labels, delimiter, missing). `path` is for messages, which
// read "PATH:LINE: column 'NAME': what is wrong".
//
// A number is decimal, with a point and optionally an exponent, whatever the locale; spaces around it are ignored. An
// empty field, NA, NaN, null (in any case) and ? are missing, unless they are a label. missing = "drop-row" leaves out
// a row where any column in use is missing; "fill" fills features, while a missing target stays an error. A label is
// compared as it stands, then without the spaces around it; without labels a class is a whole number from 0 to 2^31
// - 1.
//
// DataLoss for contents that don't fit, NotFound for a missing column, InvalidArgument for a config out of range.
absl::StatusOr<Table> ParseCsv(const std::string& path, absl::string_view text, const config::DataConfig& config,
                               bool with_target);

}  // namespace tacit::data
