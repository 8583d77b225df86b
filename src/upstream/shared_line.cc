#include "upstream/shared_line.h"

#include "mcsteady/protocol/request.h"

namespace mcsteady::upstream {

namespace {
using protocol::Verb;

// Short enough for a server to read in one go, and for a reply to be on its way soon.
constexpr std::size_t kLineMax = 1000;
constexpr std::size_t kMembersMax = 64;
constexpr std::size_t kLineEnd = 2;

std::size_t word_size(Verb verb) {
  return protocol::to_string(verb).size();
}

bool may_share(const Exchange& exchange) {
  return exchange.verb == Verb::Get || exchange.verb == Verb::Gets;
}

std::string_view keys_of(const Exchange& exchange) {
  const std::string_view command = exchange.command();
  const std::size_t begin = word_size(exchange.verb);
  return command.substr(begin, command.size() - begin - kLineEnd);
}

/// Where `key` stands among the words of `line` from `at` on; npos: nowhere.
std::size_t find_word(std::string_view line, std::string_view key, std::size_t at) {
  while ((at = line.find(key, at)) != std::string_view::npos) {
    const std::size_t end = at + key.size();
    const bool whole = at > 0 && line[at - 1] == ' ' &&
                       (end == line.size() || line[end] == ' ' || line[end] == '\r');
    if (whole) return at;
    ++at;
  }
  return std::string_view::npos;
}
}  // namespace

void SharedLine::offer(Exchange& first) {
  Exchange* last = &first;
  std::size_t size = first.head_size;
  first.offered_ = true;
  for (std::size_t members = 1; may_share(first) && members < kMembersMax; ++members) {
    Exchange* next = last->next_;
    if (next == nullptr || next->verb != first.verb || next->offered_) return;
    size += keys_of(*next).size();
    if (size > kLineMax) return;
    last->joins_next_ = next->joins_previous_ = next->offered_ = true;
    last = next;
  }
}

std::string_view SharedLine::wire_head(const Exchange& exchange) {
  std::string_view head = exchange.command();
  if (exchange.joins_previous_) head.remove_prefix(word_size(exchange.verb));
  if (exchange.joins_next_) head.remove_suffix(kLineEnd);
  return head;
}

bool SharedLine::may_leave(const Exchange& exchange) {
  if (exchange.touched_) return false;
  const bool ends_line = exchange.joins_previous_ && !exchange.joins_next_;
  const Exchange* previous = exchange.previous_;
  return !ends_line || (previous != nullptr && !previous->sent_);
}

void SharedLine::leave(Exchange& exchange) {
  if (!exchange.touched_) {
    Exchange* previous = exchange.previous_;
    const bool first = !exchange.joins_previous_;
    const bool last = !exchange.joins_next_;
    if (!first && last && previous != nullptr) previous->joins_next_ = false;
    if (first && !last) exchange.next_->joins_previous_ = false;
  }
  exchange.joins_next_ = exchange.joins_previous_ = exchange.offered_ = false;
}

bool SharedLine::is_wanted(const Exchange& head) {
  const Exchange* member = &head;
  while (member->given_up() && member->joins_next_) member = member->next_;
  return !member->given_up();
}

Exchange* SharedLine::who_asked(Exchange& head, std::string_view key) {
  for (Exchange* member = &head; member != nullptr && member->touched_; member = member->next_) {
    const std::size_t at = find_word(member->command(), key, member->matched_);
    if (at != std::string_view::npos) {
      member->matched_ = at + key.size();
      return member;
    }
    if (!member->joins_next_) return nullptr;
  }
  return nullptr;
}

}  // namespace mcsteady::upstream
