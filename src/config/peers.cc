#include "config/peers.h"

#include <grp.h>
#include <pwd.h>

#include <charconv>
#include <optional>
#include <string>

#include "config/words.h"

namespace mcsteady::config {
namespace {

// The last number stands for "none" in the kernel.
constexpr std::uint32_t kIdMax = 0xfffffffe;

std::optional<std::uint32_t> parse_id(std::string_view text) {
  std::uint32_t id = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  const bool whole = error == std::errc{} && rest == text.data() + text.size() && id <= kIdMax;
  return whole ? std::optional(id) : std::nullopt;
}

// The configuration is read by one thread, so the plain look-ups will do.
std::optional<std::uint32_t> uid_of(const std::string& name) {
  const passwd* const user = getpwnam(name.c_str());
  return user == nullptr ? std::nullopt : std::optional<std::uint32_t>(user->pw_uid);
}
std::optional<std::uint32_t> gid_of(const std::string& name) {
  const group* const found = getgrnam(name.c_str());
  return found == nullptr ? std::nullopt : std::optional<std::uint32_t>(found->gr_gid);
}

struct IdKind {
  std::string_view key;
  std::string_view noun;
  std::optional<std::uint32_t> (*named)(const std::string& name);
};

std::optional<std::uint32_t> read_id(const YamlNode& node, const IdKind& kind, Section& peers) {
  const auto refuse = [&](const std::string& why) {
    peers.error(node.mark, kind.key, why);
    return std::nullopt;
  };
  if (node.kind != YamlNode::Kind::Scalar) {
    return refuse(std::string(kind_name(node)) + " where a number or a name belongs");
  }
  if (const auto id = parse_id(node.text)) return id;
  const bool is_name = node.text.find('\0') == std::string::npos;
  if (const auto id = is_name ? kind.named(node.text) : std::nullopt) return id;
  return refuse(quoted(node.text) + " is no " + std::string(kind.noun) +
                " of this system; write its number");
}

std::vector<std::uint32_t> read_ids(const IdKind& kind, Section& peers) {
  std::vector<std::uint32_t> ids;
  const auto entry = peers.find(kind.key);
  if (!entry) return ids;
  const YamlNode& list = *entry->value;
  if (list.kind != YamlNode::Kind::List || list.items.empty()) {
    const bool is_list = list.kind == YamlNode::Kind::List;
    peers.error(list.mark, kind.key,
                std::string(is_list ? "an empty list" : kind_name(list)) +
                    " where a list of numbers or names belongs");
    return ids;
  }
  for (const YamlNode* item : list.items) {
    if (const auto id = read_id(*item, kind, peers)) ids.push_back(*id);
  }
  return ids;
}

constexpr IdKind kUsers = {"uid", "user", uid_of};
constexpr IdKind kGroups = {"gid", "group", gid_of};
}  // namespace

void read_owner(Section& listener, net::ListenOptions& options) {
  const auto read = [&](std::string_view key, const IdKind& kind, auto& id) {
    const auto entry = listener.find(key);
    if (!entry) return;
    const bool has_file = options.endpoint.is_unix() && options.endpoint.unix_path.front() != '@';
    if (!has_file) {
      return listener.error(entry->key, key,
                            "only the file of a unix socket has one, and this is " +
                                options.endpoint.text() + "; leave it out");
    }
    id = read_id(*entry->value, {key, kind.noun, kind.named}, listener);
  };
  read("owner", kUsers, options.unix_uid);
  read("group", kGroups, options.unix_gid);
}

proxy::PeerRule read_peers(Section& listener, const net::Endpoint& endpoint, ErrorList& errors) {
  const auto entry = listener.find("peers");
  if (!entry) return {};
  Section peers(entry->value, "peers", errors);
  const std::vector<std::uint32_t> uids = read_ids(kUsers, peers);
  const std::vector<std::uint32_t> gids = read_ids(kGroups, peers);
  peers.finish();
  if (!endpoint.is_unix()) {
    listener.error(
        entry->key, "peers",
        "only a unix socket knows its peers, and this is " + endpoint.text() + "; leave it out");
  } else if (peers.is_sound() && uids.empty() && gids.empty()) {
    listener.error(entry->key, "peers", "nobody is named; write { uid: [...], gid: [...] }");
  }
  return {.uids = {uids.begin(), uids.end()}, .gids = {gids.begin(), gids.end()}};
}

}  // namespace mcsteady::config
