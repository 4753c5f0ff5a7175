#include "core/config/server_config.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "core/ids.h"

namespace tacit::config {

bool IsHostAndPort(absl::string_view address) {
  const size_t colon = address.rfind(':');
  if (colon == absl::string_view::npos || colon == 0) return false;
  const absl::string_view digits = address.substr(colon + 1);
  int port = -1;  // SimpleAtoi alone would also take signs and spaces
  return digits.find_first_not_of("0123456789") == absl::string_view::npos && absl::SimpleAtoi(digits, &port) &&
         port <= 65535;
}

bool IsLoopback(absl::string_view address) {
  absl::string_view host = address.substr(0, address.rfind(':'));
  if (host == "localhost" || host == "[::1]") return true;
  // Four numbers of which the first is 127: a name that merely starts with "127." may resolve to anywhere.
  if (!absl::StartsWith(host, "127.")) return false;
  int parts = 0;
  while (true) {
    const size_t dot = host.find('.');
    const absl::string_view part = host.substr(0, dot);
    int number = -1;
    if (part.empty() || part.size() > 3 || part.find_first_not_of("0123456789") != absl::string_view::npos ||
        !absl::SimpleAtoi(part, &number) || number > 255) {
      return false;
    }
    ++parts;
    if (dot == absl::string_view::npos) return parts == 4;
    host.remove_prefix(dot + 1);
  }
}

void Describe(FieldVisitor& v, ServerTlsConfig& c) {
  v.Field("certificate", &c.certificate, Help("this server's certificate chain, PEM").Required().Path());
  v.Field("key", &c.key, Help("its private key, PEM").Required().Path());
  v.Field("client_ca", &c.client_ca, Help("certificates that sign the trainers' certificates, PEM").Required().Path());
}

void Describe(FieldVisitor& v, ServerConfig& c) {
  v.Field("run", &c.run, Help("name of the run").Required());
  v.Check(c.run.empty() || ValidateName(c.run).ok(), "run",
          "must be 1 to 64 of A-Z a-z 0-9 . _ - and not start with . or -");
  v.Field("listen", &c.listen, Help("address to listen on, HOST:PORT"));
  v.Check(IsHostAndPort(c.listen), "listen", "must be HOST:PORT with a port from 0 to 65535");
  v.Field("insecure", &c.insecure,
          Help("allow plain text beyond this machine: anybody on the way can read and change it"));
  v.Field("model", &c.model, Help("model artifact to train (tacit model build makes one)").Required().Path());
  v.Field("output", &c.output, Help("folder for metrics, summary and the final model").Required().Path());
  v.Field("seed", &c.seed, Help("seed of what need not be secret (batches of runs without privacy)").AtLeast(0));
  v.Table("tls", c.tls);
  v.Check(c.tls || c.insecure || IsLoopback(c.listen), "listen",
          "is not a loopback address: add a [tls] table (or insecure = true)");
  v.Check(!(c.tls && c.insecure), "insecure", "contradicts the [tls] table");
  v.Table("federation", c.federation);
  v.Table("training", c.training);
  v.Table("server_optimizer", c.server_optimizer);
  v.Table("privacy", c.privacy);
}

}  // namespace tacit::config
