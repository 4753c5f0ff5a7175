#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "core/federation/task.h"
#include "core/federation/update.h"
#include "proto/codec/limits.h"
#include "tacit/v1/federation.pb.h"

// Tasks and answers, domain <-> wire. Every FromWire checks all that it reads; InvalidArgument names the field.
namespace tacit::wire {

void ToWire(const ClientInfo& info, v1::Hello& message);
// FailedPrecondition for another major version, saying both.
absl::StatusOr<ClientInfo> FromWire(const v1::Hello& message);

// FailedPrecondition when the coordinator's major version is another, saying both.
absl::Status CheckVersion(const v1::ProtocolVersion& version);
void SetVersion(v1::ProtocolVersion& version);

void ToWire(const Task& task, v1::ServerMessage& message);
absl::StatusOr<TrainTask> FromWire(const v1::TrainTask& message);
absl::StatusOr<EvaluateTask> FromWire(const v1::EvaluateTask& message);
FinishTask FromWire(const v1::FinishTask& message);

void ToWire(const Update& update, v1::Update& message);
absl::StatusOr<Update> FromWire(const v1::Update& message);

void ToWire(const Decline& decline, v1::Decline& message);
absl::StatusOr<Decline> FromWire(const v1::Decline& message);

void ToWire(const EvaluationReport& report, v1::EvaluationReport& message);
absl::StatusOr<EvaluationReport> FromWire(const v1::EvaluationReport& message);

// Text from or for the other side as one printable line of valid UTF-8, cut after `max_bytes`.
std::string CleanText(absl::string_view text, size_t max_bytes = kMaxReasonBytes);

}  // namespace tacit::wire
