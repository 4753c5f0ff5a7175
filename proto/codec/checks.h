#pragma once

#include <cmath>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/digest.h"
#include "core/ids.h"

// What every decoder asks of a field. The messages name it, since the other side wrote it.
namespace tacit::wire {

inline absl::Status FieldError(absl::string_view field, absl::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat("protocol message: field '", field, "' ", problem));
}

inline absl::StatusOr<Digest> DigestField(absl::string_view field, const std::string& bytes) {
  absl::StatusOr<Digest> digest = Digest::FromBytes(bytes);
  if (!digest.ok()) return FieldError(field, "is not a digest of 32 bytes");
  return digest;
}

template <typename Id>
absl::StatusOr<Id> IdField(absl::string_view field, const std::string& text) {
  absl::StatusOr<Id> id = Id::Create(text);
  if (!id.ok()) return FieldError(field, absl::StrCat("is no valid name: ", id.status().message()));
  return id;
}

inline absl::Status RangeField(absl::string_view field, double value, double low, double high) {
  if (value >= low && value <= high) return absl::OkStatus();  // false for NaN
  return FieldError(field, absl::StrCat("is ", value, ", outside ", low, " to ", high));
}

}  // namespace tacit::wire
