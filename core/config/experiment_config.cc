#include "core/config/experiment_config.h"

#include "core/ids.h"

namespace tacit::config {

void Describe(FieldVisitor& v, ExperimentEvaluationConfig& c) {
  v.Field("holdout", &c.holdout,
          Help("share of [data] that no trainer gets and that the model is evaluated on").AtLeast(0));
  v.Check(c.holdout < 1, "holdout", "must be below 1");
  v.Table("data", c.data);
  v.Check(!(c.data && c.holdout > 0), "holdout", "give either holdout or [evaluation.data]");
}

void Describe(FieldVisitor& v, ExperimentConfig& c) {
  v.Field("name", &c.name, Help("name of the experiment").Required());
  v.Check(c.name.empty() || ValidateName(c.name).ok(), "name",
          "must be 1 to 64 of A-Z a-z 0-9 . _ - and not start with . or -");
  v.Field("output", &c.output, Help("folder for the results; left out: results/NAME").Path());
  v.Field("seed", &c.seed,
          Help("seed of the split, the initial parameters and, without privacy, the batches").AtLeast(0));
  v.Field("threads", &c.threads, Help("threads of each trainer").AtLeast(1).AtMost(1024));
  v.Table("federation", c.federation);
  v.Table("model", c.model);
  v.Table("data", c.data);
  v.Check(!c.data.partition, "data.partition", "has no effect here: the experiment splits the data itself");
  v.Check(!c.data.nominal_examples, "data.nominal_examples", "has no effect here: every trainer's share is known");
  v.Table("evaluation", c.evaluation);
  v.Table("training", c.training);
  v.Table("server_optimizer", c.server_optimizer);
  v.Table("privacy", c.privacy);
  v.Table("gradients", c.gradients);
  v.Table("testing", c.testing);
}

}  // namespace tacit::config
