#include "core/config/sections.h"

namespace tacit::config {

void Describe(FieldVisitor& v, OptimizerConfig& c) {
  v.Field("learning_rate", &c.learning_rate, Help("step size").Above(0).AtMost(1e6));
  v.Field("momentum", &c.momentum, Help("share of the last step that is kept, 0 for none").AtLeast(0));
  v.Check(c.momentum < 1, "momentum", "must be below 1");
  v.Field("weight_decay", &c.weight_decay, Help("decoupled weight decay per step").AtLeast(0).AtMost(1));
}

void Describe(FieldVisitor& v, TrainingConfig& c) {
  v.Field("rounds", &c.rounds, Help("exchanges between coordinator and trainers").Required().AtLeast(1).AtMost(1e7));
  v.Field("steps_per_round", &c.steps_per_round,
          Help("optimizer steps of every trainer in a round").Required().AtLeast(1).AtMost(1e7));
  v.Field(
      "sampling_rate", &c.sampling_rate,
      Help("probability with which an example enters a step's batch (Poisson sampling)").Required().Above(0).AtMost(1));
  v.Table("optimizer", c.optimizer);
}

void Describe(FieldVisitor& v, PrivacyConfig& c) {
  v.Field("mode", &c.mode,
          Help("\"example-level\": differential privacy for every example of a trainer; \"none\": no privacy")
              .Required()
              .OneOf({"example-level", "none"}));
  v.Field("epsilon", &c.epsilon, Help("privacy budget of one trainer over the whole run").Above(0).AtMost(1e6));
  v.Field("delta", &c.delta, Help("probability with which epsilon may fail").Above(0));
  v.Check(!c.delta || *c.delta < 1, "delta", "must be below 1");
  v.Field("clip_norm", &c.clip_norm, Help("L2 norm that one example's gradient is clipped to").Above(0).AtMost(1e9));
  v.Field("noise_multiplier", &c.noise_multiplier,
          Help("noise standard deviation over clip_norm; left out: calibrated from epsilon and delta")
              .Above(0)
              .AtMost(1e6));
  v.Field("accountant", &c.accountant, Help("how the privacy loss is added up").OneOf({"rdp"}));
  if (c.mode == "example-level") {
    v.Check(c.epsilon.has_value(), "epsilon", "is missing: mode \"example-level\" needs a budget");
    v.Check(c.delta.has_value(), "delta", "is missing: mode \"example-level\" needs a budget");
    v.Check(c.clip_norm.has_value(), "clip_norm", "is missing: mode \"example-level\" clips every example's gradient");
  } else if (c.mode == "none") {
    // A term that would not be honoured must not look as if it were.
    constexpr absl::string_view kUnused = "has no effect with mode \"none\"; remove it or set mode \"example-level\"";
    v.Check(!c.epsilon, "epsilon", kUnused);
    v.Check(!c.delta, "delta", kUnused);
    v.Check(!c.clip_norm, "clip_norm", kUnused);
    v.Check(!c.noise_multiplier, "noise_multiplier", kUnused);
  }
}

void Describe(FieldVisitor& v, FederationConfig& c) {
  v.Field("trainers", &c.trainers, Help("trainers that the run waits for").Required().AtLeast(1).AtMost(1e5));
  v.Field("evaluators", &c.evaluators, Help("evaluators that the run waits for").AtLeast(0).AtMost(1e5));
  v.Field("quorum", &c.quorum, Help("updates that a round needs at its deadline; left out: all").AtLeast(1));
  v.Check(!c.quorum || *c.quorum <= c.trainers, "quorum", "must be at most federation.trainers");
  v.Field("join_timeout_seconds", &c.join_timeout_seconds,
          Help("how long the run waits for its trainers to join").Above(0).AtMost(1e7));
  v.Field("round_timeout_seconds", &c.round_timeout_seconds, Help("deadline of a round").Above(0).AtMost(1e7));
  v.Field("evaluate_every", &c.evaluate_every,
          Help("rounds between evaluations; the last round is always evaluated").AtLeast(1));
}

void Describe(FieldVisitor& v, ModelConfig& c) {
  v.Field("artifact", &c.artifact, Help("model artifact to train; instead of an architecture").Path());
  v.Field("architecture", &c.architecture, Help("built-in model").OneOf({"linear", "mlp", "cnn"}));
  v.Check(c.artifact.has_value() != c.architecture.has_value(), "architecture", "give either architecture or artifact");
  v.Field("input_shape", &c.input_shape, Help("shape of one example, e.g. [30] or [1, 28, 28]").AtLeast(1));
  v.Field("outputs", &c.outputs, Help("values that the model gives for an example: classes, or 1").AtLeast(0));
  v.Field("hidden", &c.hidden, Help("mlp: widths of the hidden layers").AtLeast(1));
  v.Field("channels", &c.channels, Help("cnn: channels of the convolution layers").AtLeast(1));
  v.Field("kernel_size", &c.kernel_size, Help("cnn: width of the convolution kernels").AtLeast(1).AtMost(101));
  v.Field("activation", &c.activation, Help("mlp, cnn: between the layers").OneOf({"relu", "tanh", "gelu"}));
  v.Field("loss", &c.loss,
          Help("what training minimises").OneOf({"cross-entropy", "binary-cross-entropy", "mean-squared-error"}));
  if (c.architecture) {
    v.Check(!c.input_shape.empty(), "input_shape",
            "is missing: a built-in architecture needs the shape of one example");
    v.Check(c.outputs > 0, "outputs", "is missing: a built-in architecture needs the number of outputs");
    v.Check(c.architecture != "mlp" || !c.hidden.empty(), "hidden", "is missing: widths of the mlp's hidden layers");
    v.Check(c.architecture == "mlp" || c.hidden.empty(), "hidden", "only an mlp has hidden layers");
    v.Check(c.architecture != "cnn" || !c.channels.empty(), "channels", "is missing: channels of the cnn's layers");
    v.Check(c.architecture == "cnn" || c.channels.empty(), "channels", "only a cnn has channels");
  } else {
    constexpr absl::string_view kFixed = "has no effect: the artifact fixes it";
    v.Check(c.input_shape.empty(), "input_shape", kFixed);
    v.Check(c.outputs == 0, "outputs", kFixed);
    v.Check(c.hidden.empty(), "hidden", kFixed);
    v.Check(c.channels.empty(), "channels", kFixed);
  }
}

void Describe(FieldVisitor& v, StandardiseConfig& c) {
  v.Field("mean", &c.mean, Help("subtracted from the features: one value each, or one for all").Required());
  v.Field("standard_deviation", &c.standard_deviation,
          Help("what the difference is divided by: one value each, or one for all").Required().Above(0));
}

void Describe(FieldVisitor& v, PartitionConfig& c) {
  v.Field("scheme", &c.scheme, Help("how rows are dealt out: \"iid\", at random").OneOf({"iid"}));
  v.Field("parts", &c.parts, Help("number of parts").Required().AtLeast(1));
  v.Field("part", &c.part, Help("which part this is, from 0").AtLeast(0));
  v.Check(c.part < c.parts || c.take_holdout, "part", "must be below parts");
  v.Field("holdout", &c.holdout, Help("share of the rows kept out of every part").AtLeast(0));
  v.Check(c.holdout < 1, "holdout", "must be below 1");
  v.Field("take_holdout", &c.take_holdout, Help("take the rows kept out, instead of a part"));
  v.Check(!c.take_holdout || c.holdout > 0, "take_holdout", "needs a holdout above 0");
  v.Field("seed", &c.seed, Help("seed of the shuffle; the same for every part").AtLeast(0));
}

void Describe(FieldVisitor& v, DataConfig& c) {
  v.Field("format", &c.format, Help("kind of file").Required().OneOf({"csv", "idx", "npy"}));
  v.Field("path", &c.path, Help("csv: the file; idx, npy: the file with the features").Required().Path());
  v.Field("target_path", &c.target_path, Help("idx, npy: the file with the targets").Path());
  v.Field("target", &c.target, Help("csv: name of the target column"));
  v.Field("target_type", &c.target_type, Help("\"class\": labels; \"value\": numbers").OneOf({"class", "value"}));
  v.Field("labels", &c.labels, Help("csv: names of the classes in the order of the model's outputs"));
  v.Field("features", &c.features, Help("csv: columns to use, in order; left out: all but the target"));
  v.Field("delimiter", &c.delimiter, Help("csv: one character between fields"));
  v.Check(c.delimiter.size() == 1, "delimiter", "must be one character");
  v.Field("missing", &c.missing,
          Help("csv: what an empty field means: \"error\", \"drop-row\", or \"fill\" with fill_value")
              .OneOf({"error", "drop-row", "fill"}));
  v.Field("fill_value", &c.fill_value, Help("csv: what stands in for an empty field"));
  v.Check((c.missing == "fill") == c.fill_value.has_value(), "fill_value",
          "goes with missing = \"fill\", and only there");
  v.Field("nominal_examples", &c.nominal_examples,
          Help("a public figure for the number of examples; needed for private training, may differ from the true one")
              .AtLeast(1));
  if (c.format == "csv") {
    v.Check(!c.target.empty(), "target", "is missing: name of the target column");
    v.Check(!c.target_path, "target_path", "has no effect for csv; the target is a column");
  } else if (c.format == "idx" || c.format == "npy") {  // not after a typing error in format
    v.Check(c.target_path.has_value(), "target_path", "is missing: the file with the targets");
    v.Check(c.target.empty(), "target", "has no effect: only csv has columns");
    v.Check(c.features.empty(), "features", "has no effect: only csv has columns");
    v.Check(c.labels.empty(), "labels", "has no effect: only csv has named classes");
  }
  v.Check(c.labels.empty() || c.target_type == "class", "labels", "only targets of type \"class\" have labels");
  v.Table("standardise", c.standardise);
  v.Table("partition", c.partition);
}

void Describe(FieldVisitor& v, GradientsConfig& c) {
  v.Field(
      "backend", &c.backend,
      Help("per-sample gradients: \"vmap\" (vectorized) or \"loop\" (one example at a time)").OneOf({"vmap", "loop"}));
}

void Describe(FieldVisitor& v, TestingConfig& c) {
  v.Field("insecure_test_noise_seed", &c.insecure_test_noise_seed,
          Help("predictable noise, so that runs repeat exactly; DESTROYS THE PRIVACY GUARANTEE").AtLeast(0));
}

}  // namespace tacit::config
