#include "core/config/client_config.h"

#include "core/config/server_config.h"
#include "core/ids.h"

namespace tacit::config {

void Describe(FieldVisitor& v, ClientTlsConfig& c) {
  v.Field("ca", &c.ca, Help("certificates that sign the server's certificate, PEM").Required().Path());
  v.Field("certificate", &c.certificate,
          Help("this client's certificate chain, PEM; its common name is the client's name").Required().Path());
  v.Field("key", &c.key, Help("its private key, PEM").Required().Path());
  v.Field("server_name", &c.server_name, Help("name in the server's certificate, when it is not the host of server"));
}

void Describe(FieldVisitor& v, BudgetConfig& c) {
  v.Field("allow_non_private", &c.allow_non_private,
          Help("train without privacy when the server asks for it; otherwise such a run is refused"));
  v.Field("max_epsilon", &c.max_epsilon, Help("most that all runs of this process together may spend").Above(0));
  v.Field("max_delta", &c.max_delta, Help("largest delta accepted").Above(0));
  v.Check(!c.max_delta || *c.max_delta < 1, "max_delta", "must be below 1");
}

void Describe(FieldVisitor& v, EvaluationDataConfig& c) {
  v.Field("data_is_public", &c.data_is_public,
          Help("confirms that metrics on this data may leave this machine without noise"));
  v.Check(c.data_is_public, "data_is_public",
          "must be true: loss and accuracy on this data are sent to the server without noise, which no privacy "
          "guarantee covers");
  v.Table("data", c.data);
}

void Describe(FieldVisitor& v, ClientConfig& c) {
  v.Field("name", &c.name, Help("this client's name; under TLS the common name of its certificate").Required());
  v.Check(c.name.empty() || ValidateName(c.name).ok(), "name",
          "must be 1 to 64 of A-Z a-z 0-9 . _ - and not start with . or -");
  v.Field("server", &c.server, Help("coordinator's address, HOST:PORT").Required());
  v.Check(c.server.empty() || IsHostAndPort(c.server), "server", "must be HOST:PORT with a port from 0 to 65535");
  v.Field("insecure", &c.insecure,
          Help("allow plain text beyond this machine: anybody on the way can read and change it"));
  v.Field("give_up_after_seconds", &c.give_up_after_seconds,
          Help("how long a server that cannot be reached is tried again").AtLeast(0).AtMost(1e8));
  v.Field("threads", &c.threads, Help("threads that LibTorch computes with").AtLeast(1).AtMost(1024));
  v.Table("tls", c.tls);
  v.Check(c.server.empty() || c.tls || c.insecure || IsLoopback(c.server), "server",
          "is not a loopback address: add a [tls] table (or insecure = true)");
  v.Check(!(c.tls && c.insecure), "insecure", "contradicts the [tls] table");
  v.Table("data", c.data);
  v.Table("evaluation", c.evaluation);
  v.Check(c.data || c.evaluation, "data", "is missing: give [data] to train, [evaluation] to evaluate, or both");
  v.Table("budget", c.budget);
  v.Table("gradients", c.gradients);
  v.Table("testing", c.testing);
}

}  // namespace tacit::config
