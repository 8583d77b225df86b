#include "config/tls.h"

#include <array>
#include <string>

namespace mcsteady::config {
namespace {

using net::TlsVersion;

enum class Verify { Full, None };
constexpr std::array<Choice<Verify>, 2> kVerify = {
    {{"full", Verify::Full}, {"none", Verify::None}}};
constexpr std::array<Choice<bool>, 2> kClientCertificate = {
    {{"required", true}, {"optional", false}}};
constexpr std::array<Choice<TlsVersion>, 2> kVersions = {
    {{"1.2", TlsVersion::Tls12}, {"1.3", TlsVersion::Tls13}}};

void read_own(Section& tls, net::TlsOptions& own) {
  tls.read_text("certificate", own.certificate);
  tls.read_text("key", own.key);
  tls.read_choice<TlsVersion>("minimum_version", own.minimum_version, kVersions);
  tls.read_text("ciphers", own.ciphers);
  tls.read_text("ciphersuites", own.ciphersuites);
  if (own.certificate.empty() == own.key.empty()) return;
  const char* const given = own.key.empty() ? "certificate" : "key";
  const char* const missing = own.key.empty() ? "key" : "certificate";
  tls.error(tls.mark_of(given), given, std::string("needs a ") + missing + " beside it");
}

void note_use(TlsUse use, Section& tls, std::vector<TlsUse>& uses) {
  for (const char* option : {"certificate", "key", "ca", "client_ca", "ciphers", "ciphersuites"}) {
    if (tls.has(option)) use.options.emplace(option, tls.mark_of(option));
  }
  uses.push_back(std::move(use));
}

void read_names(Section& tls, std::vector<std::string>& names) {
  const auto list = tls.find("client_names");
  if (!list) return;
  const YamlNode& node = *list->value;
  if (node.kind != YamlNode::Kind::List) {
    return tls.error(node.mark, "client_names", "a list of names belongs here, as [app-1]");
  }
  for (const YamlNode* item : node.items) {
    if (item->kind == YamlNode::Kind::Scalar && !item->text.empty()) {
      names.emplace_back(item->text);
    } else {
      tls.error(item->mark, "client_names", "a name belongs here");
    }
  }
}

}  // namespace

std::shared_ptr<net::TlsClient> read_client_tls(Section& pool, const std::string& name,
                                                std::vector<TlsUse>& uses) {
  if (!pool.has("tls")) return nullptr;
  Section tls = pool.subsection("tls");
  net::TlsClientOptions options;
  auto verify = Verify::Full;
  tls.read_choice<Verify>("verify", verify, kVerify);
  options.verify = verify == Verify::Full;
  tls.read_text("ca", options.ca);
  tls.read_text("server_name", options.server_name);
  read_own(tls, options.own);
  auto client = std::make_shared<net::TlsClient>(std::move(options));
  note_use({.context = client, .owner = name, .section = pool.mark_of("tls")}, tls, uses);
  tls.finish();
  return client;
}

std::shared_ptr<net::TlsServer> read_server_tls(Section& listener, const std::string& address,
                                                std::vector<TlsUse>& uses) {
  if (!listener.has("tls")) return nullptr;
  Section tls = listener.subsection("tls");
  net::TlsServerOptions options;
  read_own(tls, options.own);
  if (!tls.has("certificate") && !tls.has("key")) {
    tls.error(listener.mark_of("tls"), "tls", "write { certificate: FILE, key: FILE }");
  }
  tls.read_text("client_ca", options.client_ca);
  tls.read_choice<bool>("client_certificate", options.client_required, kClientCertificate);
  read_names(tls, options.client_names);
  for (const char* option : {"client_names", "client_certificate"}) {
    if (tls.has(option) && options.client_ca.empty()) {
      tls.error(tls.mark_of(option), option, "needs client_ca beside it");
    }
  }
  tls.read_duration("handshake_timeout", options.handshake_timeout, Zero::Refused);
  tls.read_number("handshakes_per_turn", options.handshakes_per_turn, {1, 1000});
  auto server = std::make_shared<net::TlsServer>(std::move(options));
  note_use({.context = server, .owner = address, .section = listener.mark_of("tls")}, tls, uses);
  tls.finish();
  return server;
}

}  // namespace mcsteady::config
