#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/status.h"
#include "model/api/graph.h"

namespace tacit::model {
namespace {

using Json = nlohmann::json;

constexpr int kDepth = 6;  // graph > nodes > node > args > list > value
constexpr size_t kMaxTextBytes = size_t{64} << 20;

absl::Status Bad(const std::string& message) { return absl::DataLossError(message); }

// JSON has no literal for these.
constexpr std::pair<const char*, double> kSpecials[] = {{"inf", std::numeric_limits<double>::infinity()},
                                                        {"-inf", -std::numeric_limits<double>::infinity()},
                                                        {"nan", std::numeric_limits<double>::quiet_NaN()}};

Json EncodeDouble(double value) {
  if (std::isnan(value)) return {{"double", "nan"}};
  if (std::isinf(value)) return {{"double", value > 0 ? "inf" : "-inf"}};
  return value;
}

struct Encoder {
  Json operator()(const None&) const { return nullptr; }
  Json operator()(const ValueRef& value) const { return {{"value", value.id}}; }
  Json operator()(double value) const { return EncodeDouble(value); }
  Json operator()(const std::vector<double>& list) const {
    Json array = Json::array();
    for (const double value : list) array.push_back(EncodeDouble(value));
    return array;
  }
  Json operator()(const std::vector<std::optional<ValueRef>>& list) const {
    Json array = Json::array();
    for (const std::optional<ValueRef>& value : list) array.push_back(value ? (*this)(*value) : Json(nullptr));
    return array;
  }
  template <typename Plain>
  Json operator()(const Plain& value) const {
    return value;
  }
};

absl::Status CheckKeys(const Json& object, std::initializer_list<absl::string_view> required,
                       std::initializer_list<absl::string_view> optional = {}) {
  if (!object.is_object()) return Bad("not an object");
  for (const absl::string_view key : required) {
    if (!object.contains(std::string(key))) return Bad(absl::StrCat("'", key, "' is missing"));
  }
  for (const auto& item : object.items()) {
    const absl::string_view key = item.key();
    if (std::find(required.begin(), required.end(), key) == required.end() &&
        std::find(optional.begin(), optional.end(), key) == optional.end()) {
      return Bad(absl::StrCat("unknown key '", absl::CHexEscape(key.substr(0, 64)), "'"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> String(const Json& object, const char* key) {
  const Json& value = object[key];
  if (!value.is_string()) return Bad(absl::StrCat("'", key, "' is not a string"));
  return value.get<std::string>();
}

absl::StatusOr<int64_t> Integer(const Json& value) {
  if (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX}) return Bad("a number is too large");
  if (!value.is_number_integer()) return Bad("a number is not an integer");
  return value.get<int64_t>();
}

absl::StatusOr<std::vector<ValueId>> Ids(const Json& object, const char* key) {
  if (!object[key].is_array()) return Bad(absl::StrCat("'", key, "' is not a list"));
  std::vector<ValueId> ids;
  for (const Json& element : object[key]) {
    TACIT_ASSIGN_OR_RETURN(ids.emplace_back(), Integer(element));
  }
  return ids;
}

// {"value": 3} or {"double": "inf"}.
absl::StatusOr<Argument> ParseTagged(const Json& object) {
  if (object.size() == 1 && object.contains("value")) {
    TACIT_ASSIGN_OR_RETURN(const int64_t id, Integer(object["value"]));
    return ValueRef{id};
  }
  if (object.size() == 1 && object.contains("double")) {
    for (const auto& [name, value] : kSpecials) {
      if (object["double"] == name) return value;
    }
  }
  return Bad("an object that is neither {\"value\": id} nor {\"double\": \"inf\", \"-inf\" or \"nan\"}");
}

absl::StatusOr<Argument> ParseScalar(const Json& json) {
  if (json.is_null()) return None{};
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_object()) return ParseTagged(json);
  if (json.is_array()) return Bad("a list within a list");
  TACIT_ASSIGN_OR_RETURN(const int64_t value, Integer(json));
  return value;
}

// All elements as `Element`, or DataLoss.
template <typename Element>
absl::StatusOr<Argument> Uniform(const std::vector<Argument>& elements) {
  std::vector<Element> list;
  for (const Argument& element : elements) {
    if (!std::holds_alternative<Element>(element)) return Bad("a list of different types");
    list.push_back(std::get<Element>(element));
  }
  return list;
}

absl::StatusOr<Argument> References(const std::vector<Argument>& elements) {
  std::vector<std::optional<ValueRef>> list;
  for (const Argument& element : elements) {
    if (std::holds_alternative<None>(element)) {
      list.emplace_back();
    } else if (std::holds_alternative<ValueRef>(element)) {
      list.emplace_back(std::get<ValueRef>(element));
    } else {
      return Bad("a list of different types");
    }
  }
  return list;
}

absl::StatusOr<Argument> ParseArgument(const Json& json) {
  if (!json.is_array()) return ParseScalar(json);
  if (json.size() > GraphLimits::kListElements) return Bad("a list is too long");
  std::vector<Argument> elements;
  for (const Json& element : json) {
    TACIT_ASSIGN_OR_RETURN(elements.emplace_back(), ParseScalar(element));
  }
  if (elements.empty()) return std::vector<int64_t>{};
  if (std::holds_alternative<int64_t>(elements.front())) return Uniform<int64_t>(elements);
  if (std::holds_alternative<double>(elements.front())) return Uniform<double>(elements);
  if (std::holds_alternative<bool>(elements.front())) return Uniform<bool>(elements);
  return References(elements);
}

absl::StatusOr<Node> ParseNode(const Json& json) {
  TACIT_RETURN_IF_ERROR(CheckKeys(json, {"op", "args", "outputs"}, {"overload", "source"}));
  Node node;
  TACIT_ASSIGN_OR_RETURN(node.op, String(json, "op"));
  if (json.contains("overload")) {
    TACIT_ASSIGN_OR_RETURN(node.overload, String(json, "overload"));
  }
  if (json.contains("source")) {
    TACIT_ASSIGN_OR_RETURN(node.source, String(json, "source"));
  }
  if (!json["args"].is_array()) return Bad("'args' is not a list");
  if (json["args"].size() > GraphLimits::kArguments) return Bad("too many arguments");
  for (const Json& element : json["args"]) {
    absl::StatusOr<Argument> argument = ParseArgument(element);
    if (!argument.ok()) return Annotate(argument.status(), absl::StrCat("argument ", node.arguments.size()));
    node.arguments.push_back(*std::move(argument));
  }
  TACIT_ASSIGN_OR_RETURN(node.outputs, Ids(json, "outputs"));
  return node;
}

absl::StatusOr<GraphInput> ParseInput(const Json& json) {
  TACIT_RETURN_IF_ERROR(CheckKeys(json, {"kind", "name", "value"}));
  GraphInput input;
  TACIT_ASSIGN_OR_RETURN(const std::string kind, String(json, "kind"));
  if (kind != "tensor" && kind != "batch") return Bad("its kind is neither 'tensor' nor 'batch'");
  input.kind = kind == "tensor" ? GraphInput::Kind::kTensor : GraphInput::Kind::kBatch;
  TACIT_ASSIGN_OR_RETURN(input.name, String(json, "name"));
  TACIT_ASSIGN_OR_RETURN(input.value, Integer(json["value"]));
  return input;
}

// "node 3 (aten::relu)" before the node is known to be good.
std::string Where(size_t index, const Json& json) {
  if (!json.is_object() || !json.contains("op") || !json["op"].is_string()) return absl::StrCat("node ", index);
  return absl::StrCat("node ", index, " (", absl::CHexEscape(json["op"].get<std::string>().substr(0, 128)), ")");
}

absl::StatusOr<Graph> Parse(const Json& json) {
  TACIT_RETURN_IF_ERROR(CheckKeys(json, {"inputs", "nodes", "outputs"}));
  if (!json["inputs"].is_array() || !json["nodes"].is_array()) return Bad("'inputs' or 'nodes' is not a list");
  if (json["inputs"].size() > GraphLimits::kInputs) return Bad("too many inputs");
  if (json["nodes"].size() > GraphLimits::kNodes) return Bad("too many nodes");
  Graph graph;
  for (const Json& element : json["inputs"]) {
    absl::StatusOr<GraphInput> input = ParseInput(element);
    if (!input.ok()) return Annotate(input.status(), absl::StrCat("input ", graph.inputs.size()));
    graph.inputs.push_back(*std::move(input));
  }
  for (const Json& element : json["nodes"]) {
    absl::StatusOr<Node> node = ParseNode(element);
    if (!node.ok()) return Annotate(node.status(), Where(graph.nodes.size(), element));
    graph.nodes.push_back(*std::move(node));
  }
  TACIT_ASSIGN_OR_RETURN(graph.outputs, Ids(json, "outputs"));
  if (const absl::Status status = ValidateGraph(graph); !status.ok()) return Bad(std::string(status.message()));
  return graph;
}

}  // namespace

absl::StatusOr<std::string> GraphToJson(const Graph& graph) {
  TACIT_RETURN_IF_ERROR(ValidateGraph(graph));
  Json json{{"inputs", Json::array()}, {"nodes", Json::array()}, {"outputs", graph.outputs}};
  for (const GraphInput& input : graph.inputs) {
    json["inputs"].push_back({{"kind", input.kind == GraphInput::Kind::kTensor ? "tensor" : "batch"},
                              {"name", input.name},
                              {"value", input.value}});
  }
  for (const Node& node : graph.nodes) {
    Json entry{{"op", node.op}, {"args", Json::array()}, {"outputs", node.outputs}};
    if (!node.overload.empty()) entry["overload"] = node.overload;
    if (!node.source.empty()) entry["source"] = node.source;
    for (const Argument& argument : node.arguments) entry["args"].push_back(std::visit(Encoder{}, argument));
    json["nodes"].push_back(std::move(entry));
  }
  return json.dump();
}

absl::StatusOr<Graph> ParseGraph(absl::string_view json) {
  if (json.size() > kMaxTextBytes) return Bad("the graph: more than 64 MiB of text");
  TACIT_RETURN_IF_ERROR(Annotate(CheckStrictJson(json, kDepth), "the graph"));
  absl::StatusOr<Graph> graph = Parse(Json::parse(json));
  if (!graph.ok()) return Annotate(graph.status(), "the graph");
  return graph;
}

}  // namespace tacit::model
