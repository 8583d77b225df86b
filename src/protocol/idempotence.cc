#include "mcsteady/protocol/request.h"
#include "protocol/meta/flags.h"

namespace mcsteady::protocol {
namespace {

using meta::FlagSet;

/// Whether the meta line has no flag but those in `harmless`, and, where it has a mode, the mode
/// `set`. An unknown flag may do anything.
bool has_only(const Request& request, std::string_view harmless) {
  const FlagSet known = FlagSet::of(harmless);
  Words flags = meta::flag_words(request.line, request.verb == Verb::MetaSet);
  for (std::string_view flag = flags.next(); !flag.empty(); flag = flags.next()) {
    if (!known.contains(flag.front())) return false;
    if (flag.front() == 'M' && flag != "MS") return false;
  }
  return true;
}

}  // namespace

bool is_idempotent(const Request& request) {
  switch (request.verb) {
    case Verb::Get:
    case Verb::Gets:
    case Verb::Gat:
    case Verb::Gats:
    case Verb::Set:
    case Verb::Delete:
    case Verb::Touch:
    case Verb::MetaDebug:
    case Verb::MetaNoop:
    case Verb::Version:
    case Verb::Verbosity:
    case Verb::Stats:
      return true;
    case Verb::MetaGet:
      return has_only(request, "bcfhklOqstuvCPL");
    case Verb::MetaSet:
      return has_only(request, "bcFkMOqsTPL");
    case Verb::MetaDelete:
      return has_only(request, "bkOqPL");
    default:
      return false;
  }
}

}  // namespace mcsteady::protocol
