#include "config/placement_likes.h"

#include <algorithm>
#include <array>
#include <string>

#include "config/words.h"

namespace mcsteady::config {
namespace {

using placement::Hash;
using placement::Names;
using placement::PlacementOptions;
using Kind = PlacementOptions::Kind;
using Ring = PlacementOptions::Ring;
using Order = PlacementOptions::Order;
using Rehash = PlacementOptions::Rehash;
using Ties = PlacementOptions::Ties;

void refuse_unless(bool fits, Section& section, std::string_view key, std::string_view why) {
  if (!fits && section.has(key)) section.error(section.mark_of(key), key, std::string(why));
}

/// Two characters, as in "{}".
void read_tag(Section& section, std::string_view key, PlacementOptions& out) {
  section.read_text(key, out.key.tag);
  if (out.key.tag.empty() || out.key.tag.size() == 2) return;
  section.error(section.mark_of(key), key,
                quoted(out.key.tag) + " is not two characters, as in \"{}\"");
  out.key.tag.clear();
}

// --- libmemcached, and pylibmc and PHP's memcached, which are made of it

enum class Distribution { Modula, Ketama, KetamaWeighted, ConsistentWeighted, KetamaSpy };
constexpr std::array<Choice<Distribution>, 7> kDistributions = {{
    {"modula", Distribution::Modula},
    {"ketama", Distribution::Ketama},
    {"consistent", Distribution::Ketama},
    {"ketama_weighted", Distribution::KetamaWeighted},
    {"libketama_compatible", Distribution::KetamaWeighted},
    {"consistent_weighted", Distribution::ConsistentWeighted},
    {"consistent_ketama_spy", Distribution::KetamaSpy},
}};
constexpr std::array<Choice<Hash>, 12> kLibhashkit = {{
    {"default", Hash::OneAtATime},
    {"one_at_a_time", Hash::OneAtATime},
    {"md5", Hash::Md5},
    {"crc", Hash::Crc32Upper},
    {"fnv1_64", Hash::Fnv1_64},
    {"fnv1a_64", Hash::Fnv1a_64},
    {"fnv1_32", Hash::Fnv1_32},
    {"fnv1a_32", Hash::Fnv1a_32},
    {"hsieh", Hash::Hsieh},
    {"murmur", Hash::Murmur2},
    {"murmur3", Hash::Murmur3},
    {"jenkins", Hash::Jenkins},
}};
constexpr std::array<Choice<Ring>, 2> kRings = {
    {{"plain", Ring::Plain}, {"weighted", Ring::Weighted}}};

void read_libmemcached_ring(Section& section, PlacementOptions& out) {
  out.point_hash = out.hash;
  section.read_choice<Ring>("ring", out.ring, kRings);
  section.read_choice<Hash>("ring_hash", out.point_hash, kLibhashkit);
  refuse_unless(out.ring != Ring::Weighted, section, "ring_hash",
                "a weighted ring is always of MD5; leave ring_hash out, or write ring: plain");
}

void read_libmemcached(Section& section, const ServerFacts& /*servers*/, PlacementOptions& out) {
  auto distribution = Distribution::Modula;
  section.read_choice<Distribution>("distribution", distribution, kDistributions);
  out.kind = distribution == Distribution::Modula ? Kind::Modula : Kind::Ketama;
  out.ejecting_keeps_places = distribution == Distribution::Modula;
  if (distribution == Distribution::KetamaWeighted) out.hash = Hash::Md5;
  if (distribution == Distribution::KetamaWeighted ||
      distribution == Distribution::ConsistentWeighted) {
    out.ring = Ring::Weighted;
  }
  if (distribution == Distribution::KetamaSpy) out.names = Names::Slash;
  section.read_choice<Hash>("hash", out.hash, kLibhashkit);
  bool sorts = false;
  section.read_flag("sort_hosts", sorts);
  if (sorts) out.order = Order::ByHost;
  if (out.kind == Kind::Ketama) return read_libmemcached_ring(section, out);
  for (const std::string_view key : {"ring", "ring_hash"}) {
    refuse_unless(false, section, key,
                  "modula has no ring; write distribution: ketama, or leave it");
    section.find(key);
  }
}

// --- twemproxy

constexpr std::array<Choice<Kind>, 2> kTwemproxyKinds = {
    {{"ketama", Kind::Ketama}, {"modula", Kind::Modula}}};
constexpr std::array<Choice<Hash>, 12> kTwemproxyHashes = {{
    {"one_at_a_time", Hash::OneAtATime},
    {"md5", Hash::Md5},
    {"crc16", Hash::Crc16},
    {"crc32", Hash::Crc32Upper},
    {"crc32a", Hash::Crc32},
    {"fnv1_64", Hash::Fnv1_64},
    {"fnv1a_64", Hash::Fnv1a_64},
    {"fnv1_32", Hash::Fnv1_32},
    {"fnv1a_32", Hash::Fnv1a_32},
    {"hsieh", Hash::Hsieh},
    {"murmur", Hash::Murmur2},
    {"jenkins", Hash::Jenkins},
}};

void read_twemproxy(Section& section, const ServerFacts& /*servers*/, PlacementOptions& out) {
  out.hash = Hash::Fnv1a_64;
  out.ring = Ring::Weighted;
  out.names = Names::Twemproxy;
  out.order = Order::ByName;
  out.weighted_slots = true;
  section.read_choice<Kind>("distribution", out.kind, kTwemproxyKinds);
  section.read_choice<Hash>("hash", out.hash, kTwemproxyHashes);
  read_tag(section, "hash_tag", out);
}

// --- mcrouter

constexpr std::array<Choice<Kind>, 6> kMcrouterHashes = {{
    {"Ch3", Kind::Ch3},
    {"Crc32", Kind::Modula},
    {"ConstShard", Kind::ConstShard},
    {"WeightedCh3", Kind::WeightedCh3},
    {"Rendezvous", Kind::Rendezvous},
    {"WeightedRendezvous", Kind::WeightedRendezvous},
}};

void read_mcrouter(Section& section, const ServerFacts& /*servers*/, PlacementOptions& out) {
  out.hash = Hash::Crc32Positive;
  out.decodes_base64 = false;
  out.names = Names::Address;
  out.key.routing_prefix = true;
  out.key.stop = "|#|";
  out.kind = section.has("weights") ? Kind::WeightedCh3 : Kind::Ch3;
  section.read_choice<Kind>("hash", out.kind, kMcrouterHashes);
  section.read_text("salt", out.key.salt);
  section.read_fractions("weights", out.weights);
  const bool weighted = out.kind == Kind::WeightedCh3 || out.kind == Kind::WeightedRendezvous;
  refuse_unless(weighted, section, "weights",
                "only hash: WeightedCh3 and WeightedRendezvous have weights");
  if (out.kind == Kind::WeightedCh3 && !section.has("weights")) {
    section.error(section.mark_of("hash"), "weights",
                  "missing; WeightedCh3 needs one a server, from 0 to 1: weights: [1, 0.5]");
  }
  const bool in_range = std::ranges::all_of(out.weights, [](double weight) { return weight <= 1; });
  refuse_unless(out.kind != Kind::WeightedCh3 || in_range, section, "weights",
                "WeightedCh3 takes weights from 0 to 1");
}

// --- memcached's own proxy

constexpr std::array<Choice<Kind>, 2> kProxyKinds = {
    {{"jump", Kind::Jump}, {"ring", Kind::Ketama}}};
constexpr std::array<Choice<Hash>, 2> kProxyHashes = {{{"xxhash", Hash::Xxh3}, {"md5", Hash::Md5}}};
enum class Filter { None, Tags, Stop };
constexpr std::array<Choice<Filter>, 2> kFilters = {
    {{"tags", Filter::Tags}, {"stop", Filter::Stop}}};
enum class Mode { Default, Ketama, Twemproxy, Evcache };
constexpr std::array<Choice<Mode>, 4> kModes = {{{"default", Mode::Default},
                                                 {"ketama", Mode::Ketama},
                                                 {"twemproxy", Mode::Twemproxy},
                                                 {"evcache", Mode::Evcache}}};

void read_filter(Section& section, PlacementOptions& out) {
  auto filter = Filter::None;
  section.read_choice<Filter>("filter", filter, kFilters);
  if (filter == Filter::Tags) {
    out.key.empty_tag_counts = true;
    read_tag(section, "filter_conf", out);
  } else {
    section.read_text("filter_conf", out.key.stop);
  }
  refuse_unless(filter != Filter::None, section, "filter_conf",
                "there is no filter; write filter: tags or filter: stop");
  if (filter != Filter::None && !section.has("filter_conf")) {
    section.error(section.mark_of("filter"), "filter_conf",
                  "missing; write filter_conf: \"{}\" for tags, \"|#|\" for stop");
  }
}

void read_memcached_proxy(Section& section, const ServerFacts& /*servers*/, PlacementOptions& out) {
  out.kind = Kind::Jump;
  out.hash = Hash::Xxh3;
  out.decodes_base64 = false;
  section.read_choice<Kind>("distribution", out.kind, kProxyKinds);
  section.read_choice<Hash>("hash", out.hash, kProxyHashes);
  std::string seed;
  section.read_text("seed", seed);
  if (!seed.empty()) out.seed = placement::seed_of(seed);
  read_filter(section, out);
  auto mode = Mode::Default;
  section.read_choice<Mode>("omode", mode, kModes);
  out.points = 160;
  section.read_number("obuckets", out.points, {1, 10000});
  for (const std::string_view key : {"omode", "obuckets"}) {
    refuse_unless(out.kind == Kind::Ketama, section, key,
                  "jump has none; write distribution: ring");
  }
  refuse_unless(mode == Mode::Default || out.points % 4 == 0, section, "obuckets",
                "an MD5 gives four points; a multiple of 4 belongs here");
  out.ring = mode == Mode::Default ? Ring::Plain : Ring::Digests;
  out.point_hash = Hash::Xxh3;
  out.weighted_points = false;
  out.names = mode == Mode::Twemproxy ? Names::Libmemcached
              : mode == Mode::Evcache ? Names::Evcache
                                      : Names::Address;
}

// --- Dalli and pymemcache

void read_dalli(Section& /*section*/, const ServerFacts& /*servers*/, PlacementOptions& out) {
  out.ring = Ring::Dalli;
  out.hash = Hash::Crc32;
  out.names = Names::Address;
}

constexpr std::array<Choice<bool>, 2> kKeyTypes = {{{"str", false}, {"bytes", true}}};

void read_pymemcache(Section& section, const ServerFacts& /*servers*/, PlacementOptions& out) {
  out.kind = Kind::Pymemcache;
  out.names = Names::Address;
  out.order = Order::ByText;
  section.read_choice<bool>("key_type", out.python_bytes, kKeyTypes);
}

// --- spymemcached and xmemcached

constexpr std::array<Choice<Kind>, 2> kSpyKinds = {
    {{"arraymod", Kind::Modula}, {"ketama", Kind::Ketama}}};
constexpr std::array<Choice<Hash>, 7> kSpyHashes = {{
    {"NATIVE_HASH", Hash::JavaNative},
    {"KETAMA_HASH", Hash::Md5},
    {"CRC_HASH", Hash::Crc32Upper},
    {"FNV1_64_HASH", Hash::JavaFnv1_64},
    {"FNV1A_64_HASH", Hash::JavaFnv1a_64},
    {"FNV1_32_HASH", Hash::JavaFnv1_32},
    {"FNV1A_32_HASH", Hash::JavaFnv1a_32},
}};
constexpr std::array<Choice<Names>, 2> kSpyFormats = {
    {{"SPYMEMCACHED", Names::Spymemcached}, {"LIBMEMCACHED", Names::Libmemcached}}};

void read_spymemcached(Section& section, const ServerFacts& servers, PlacementOptions& out) {
  out.kind = Kind::Modula;
  section.read_choice<Kind>("distribution", out.kind, kSpyKinds);
  const bool ketama = out.kind == Kind::Ketama;
  out.hash = ketama ? Hash::Md5 : Hash::JavaNative;
  section.read_choice<Hash>("hash", out.hash, kSpyHashes);
  out.names = Names::Spymemcached;
  section.read_choice<Names>("format", out.names, kSpyFormats);
  bool weighted = servers.weighted;
  section.read_flag("weighted", weighted);
  for (const std::string_view key : {"format", "weighted"}) {
    refuse_unless(ketama, section, key, "arraymod has no ring; write distribution: ketama");
  }
  out.rehash = ketama ? Rehash::Spymemcached : Rehash::NextInList;
  out.ties = Ties::Last;
  out.points = 160;
  out.weighted_points = false;
  out.point_hash = out.hash;
  out.ring = weighted ? Ring::Weighted : out.hash == Hash::Md5 ? Ring::Digests : Ring::Plain;
}

enum class Locator { Array, Ketama, Nginx, Gwhalin, Libmemcached };
constexpr std::array<Choice<Locator>, 5> kLocators = {{
    {"array", Locator::Array},
    {"ketama", Locator::Ketama},
    {"nginx", Locator::Nginx},
    {"gwhalin", Locator::Gwhalin},
    {"libmemcached", Locator::Libmemcached},
}};
constexpr std::array<Choice<Hash>, 4> kXmemcachedHashes = {{
    {"NATIVE_HASH", Hash::JavaNative},
    {"CRC32_HASH", Hash::Crc32Upper},
    {"KETAMA_HASH", Hash::Md5},
    {"ONE_AT_A_TIME", Hash::JavaOneAtATime},
}};

Names names_for(Locator locator) {
  switch (locator) {
    case Locator::Nginx:
      return Names::XmemcachedNginx;
    case Locator::Gwhalin:
      return Names::Address;
    case Locator::Libmemcached:
      return Names::Libmemcached;
    default:
      return Names::Xmemcached;
  }
}

void read_xmemcached(Section& section, const ServerFacts& /*servers*/, PlacementOptions& out) {
  auto locator = Locator::Array;
  section.read_choice<Locator>("distribution", locator, kLocators);
  out.kind = locator == Locator::Array ? Kind::Modula : Kind::Ketama;
  out.weighted_slots = true;
  out.names = names_for(locator);
  out.ring = Ring::Digests;
  out.points = 160;
  out.ties = Ties::ByValue;
  out.hash = locator == Locator::Array ? Hash::JavaNative : Hash::Md5;
  if (locator == Locator::Libmemcached) {
    out.ring = Ring::Plain;
    out.points = 100;
    out.hash = out.point_hash = Hash::JavaOneAtATime;
  }
  const Hash usual = out.hash;
  section.read_choice<Hash>("hash", out.hash, kXmemcachedHashes);
  refuse_unless(locator == Locator::Array || out.hash == usual, section, "hash",
                "only distribution: array lets one choose; leave hash out");
}

// --- CRC-32 modulo, and our own

enum class CrcClient { Gomemcache, PythonMemcached };
constexpr std::array<Choice<CrcClient>, 2> kCrcClients = {
    {{"gomemcache", CrcClient::Gomemcache}, {"python-memcached", CrcClient::PythonMemcached}}};

void be_crc32_modulo(CrcClient client, PlacementOptions& out) {
  const bool python = client == CrcClient::PythonMemcached;
  out.kind = Kind::Modula;
  out.hash = python ? Hash::Crc32UpperNotZero : Hash::Crc32;
  out.weighted_slots = python;
  out.rehash = python ? Rehash::PythonMemcached : Rehash::Dalli;
}

void read_crc32_modulo(Section& section, const ServerFacts& /*servers*/, PlacementOptions& out) {
  auto client = CrcClient::Gomemcache;
  section.read_choice<CrcClient>("client", client, kCrcClients);
  be_crc32_modulo(client, out);
}

void read_gomemcache(Section& /*section*/, const ServerFacts& /*servers*/, PlacementOptions& out) {
  be_crc32_modulo(CrcClient::Gomemcache, out);
}

void read_python_memcached(Section& /*section*/, const ServerFacts& /*servers*/,
                           PlacementOptions& out) {
  be_crc32_modulo(CrcClient::PythonMemcached, out);
}

void read_mcsteady(Section& section, const ServerFacts& /*servers*/, PlacementOptions& out) {
  out.kind = Kind::Table;
  out.hash = Hash::Xxh3;
  out.names = Names::Address;
  out.order = Order::ByText;
  read_tag(section, "hash_tag", out);
}

constexpr std::array<Like, 14> kLikes = {{
    {"dalli", read_dalli},
    {"libmemcached", read_libmemcached},
    {"pylibmc", read_libmemcached},
    {"php", read_libmemcached},
    {"twemproxy", read_twemproxy},
    {"mcrouter", read_mcrouter},
    {"memcached-proxy", read_memcached_proxy},
    {"pymemcache", read_pymemcache},
    {"spymemcached", read_spymemcached},
    {"xmemcached", read_xmemcached},
    {"crc32-modulo", read_crc32_modulo},
    {"gomemcache", read_gomemcache},
    {"python-memcached", read_python_memcached},
    {"mcsteady", read_mcsteady},
}};

}  // namespace

std::span<const Like> placement_likes() {
  return kLikes;
}

}  // namespace mcsteady::config
