#include "protocol/verb.h"

#include <algorithm>
#include <array>

namespace mcsteady::protocol {
namespace {

constexpr std::array<std::string_view, kVerbCount> kNames = {
    "get", "gets", "gat",     "gats",      "set",       "add",   "replace", "append", "prepend",
    "cas", "incr", "decr",    "delete",    "touch",     "mg",    "ms",      "md",     "ma",
    "me",  "mn",   "version", "verbosity", "flush_all", "stats", "quit"};

constexpr std::array<std::string_view, 11> kAdministrative = {
    "shutdown", "cache_memlimit", "lru_crawler", "lru",       "watch",    "slabs",
    "extstore", "refresh_certs",  "debugtime",   "debugitem", "misbehave"};

std::optional<Verb> meta_verb(char second) {
  switch (second) {
    case 'g':
      return Verb::MetaGet;
    case 's':
      return Verb::MetaSet;
    case 'd':
      return Verb::MetaDelete;
    case 'a':
      return Verb::MetaArithmetic;
    case 'e':
      return Verb::MetaDebug;
    case 'n':
      return Verb::MetaNoop;
    default:
      return std::nullopt;
  }
}

std::optional<Verb> first_of(std::string_view word, std::initializer_list<Verb> verbs) {
  for (const Verb verb : verbs) {
    if (word == to_string(verb)) return verb;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Verb verb) {
  return kNames[static_cast<std::size_t>(verb)];
}

std::optional<Verb> verb_named(std::string_view word) {
  switch (word.size()) {
    case 2:
      return word[0] == 'm' ? meta_verb(word[1]) : std::nullopt;
    case 3:
      return first_of(word, {Verb::Get, Verb::Set, Verb::Add, Verb::Cas, Verb::Gat});
    case 4:
      return first_of(word, {Verb::Gets, Verb::Incr, Verb::Decr, Verb::Gats, Verb::Quit});
    case 5:
      return first_of(word, {Verb::Touch, Verb::Stats});
    case 6:
      return first_of(word, {Verb::Delete, Verb::Append});
    case 7:
      return first_of(word, {Verb::Replace, Verb::Prepend, Verb::Version});
    case 9:
      return first_of(word, {Verb::FlushAll, Verb::Verbosity});
    default:
      return std::nullopt;
  }
}

bool is_administrative(std::string_view word) {
  return std::find(kAdministrative.begin(), kAdministrative.end(), word) != kAdministrative.end();
}

}  // namespace mcsteady::protocol
