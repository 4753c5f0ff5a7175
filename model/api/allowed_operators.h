#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "model/api/graph.h"

namespace tacit::model {

// Operators that a model or a loss may use, as "aten::softmax.int" or "aten::relu": pure functions of their arguments.
// None writes into an argument, reads or writes anything outside, draws random numbers (but for dropout, which the
// executor draws itself), or gives a result whose shape depends on values. Sorted.
const std::vector<absl::string_view>& AllowedOperators();

// "aten::softmax.int" of a node.
std::string OperatorName(const Node& node);

// The operators that a graph uses, for a data holder's policy.
std::set<std::string> OperatorsOf(const Graph& graph);

// InvalidArgument names the first node whose operator is not allowed.
absl::Status CheckOperatorsAllowed(const Graph& graph);

}  // namespace tacit::model
