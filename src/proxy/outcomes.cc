#include "proxy/outcomes.h"

#include "mcsteady/protocol/request.h"

namespace mcsteady::proxy {

namespace {
using protocol::ReplyCode;
using protocol::Verb;

/// The flag of a meta command, with its token; empty: it has none.
std::string_view flag_of(std::string_view command, char flag) {
  protocol::KeyWalker words(command.substr(0, command.find('\r')));
  words.next();  // the command
  words.next();  // the key
  std::string_view word = words.next();
  while (!word.empty() && word.front() != flag) word = words.next();
  return word;
}

bool counts_down(std::string_view command) {
  const std::string_view mode = flag_of(command, 'M');
  return mode.size() > 1 && (mode[1] == 'D' || mode[1] == 'd' || mode[1] == '-');
}

void count(ReplyCode code, ReplyCode hit, ReplyCode miss, HitsAndMisses& of) {
  if (code == hit) of.hits.add();
  if (code == miss) of.misses.add();
}

void count_compared(WorkerMetrics& metrics, ReplyCode code, ReplyCode hit, ReplyCode miss,
                    ReplyCode changed) {
  count(code, hit, miss, metrics.of_cas);
  if (code == changed) metrics.cas_badval.add();
}

void count_arithmetic(HitsAndMisses& of, ReplyCode code) {
  if (code == ReplyCode::MetaValue) return of.hits.add();
  count(code, ReplyCode::MetaHeader, ReplyCode::MetaNotFound, of);
}

void count_if_touched(HitsAndMisses& of, std::string_view command, ReplyCode code) {
  const bool hit = code == ReplyCode::MetaValue || code == ReplyCode::MetaHeader;
  if (hit && !flag_of(command, 'T').empty()) of.hits.add();
}
}  // namespace

void count_outcome(WorkerMetrics& metrics, Verb verb, std::string_view command, ReplyCode code) {
  switch (verb) {
    case Verb::Delete:
      return count(code, ReplyCode::Deleted, ReplyCode::NotFound, metrics.of_delete);
    case Verb::Incr:
      return count(code, ReplyCode::Number, ReplyCode::NotFound, metrics.of_incr);
    case Verb::Decr:
      return count(code, ReplyCode::Number, ReplyCode::NotFound, metrics.of_decr);
    case Verb::Touch:
      return count(code, ReplyCode::Touched, ReplyCode::NotFound, metrics.of_touch);
    case Verb::Gat:
    case Verb::Gats:
      return count(code, ReplyCode::Value, ReplyCode::End, metrics.of_gat);
    case Verb::Cas:
      return count_compared(metrics, code, ReplyCode::Stored, ReplyCode::NotFound,
                            ReplyCode::Exists);
    case Verb::MetaDelete:
      return count(code, ReplyCode::MetaHeader, ReplyCode::MetaNotFound, metrics.of_delete);
    case Verb::MetaArithmetic:
      return count_arithmetic(counts_down(command) ? metrics.of_decr : metrics.of_incr, code);
    case Verb::MetaGet:
      return count_if_touched(metrics.of_gat, command, code);
    case Verb::MetaSet:
      if (flag_of(command, 'C').empty()) return;
      return count_compared(metrics, code, ReplyCode::MetaHeader, ReplyCode::MetaNotFound,
                            ReplyCode::MetaExists);
    default:
      return;
  }
}

}  // namespace mcsteady::proxy
