#include "proxy/retrieval_slot.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "proxy/client_connection.h"
#include "proxy/unavailable.h"

namespace mcsteady::proxy {

namespace {
using protocol::Verb;

/// The longest line sent up. memcached 1.6 hangs up on 2,048 bytes without a line end unless they
/// start with "get " or "gets "; of those it takes any number.
std::size_t line_max(Verb verb) {
  return verb == Verb::Get || verb == Verb::Gets ? 16384 : 2000;
}
}  // namespace

bool RetrievalSlot::is_for(const protocol::Request& request) {
  if (request.several_keys) return true;
  return protocol::is_classic_retrieval(request.verb) &&
         request.line.size() + 2 > line_max(request.verb);
}

void RetrievalSlot::start(ClientConnection& client, TimePoint now,
                          const protocol::Request& request) {
  begin(client, now);
  verb_ = request.verb;
  error_.clear();
  blocked_at_.reset();
  line_ = context_.blocks.allocate(request.line.size());
  if (!line_) {
    context_.metrics.unavailable.add();
    error_ = no_memory_reply(context_.router.on_down(), request);
    return end();
  }
  client.hold_request(line_.capacity());
  std::memcpy(line_.data(), request.line.data(), request.line.size());
  const auto here = [&](std::string_view text) {
    return std::string_view(line_.data() + (text.data() - request.line.data()), text.size());
  };
  exptime_ = request.exptime.empty() ? std::string_view{} : here(request.exptime);
  rest_ = here(request.keys);
  issue();
  go_on();
}

/// Passes on what there is; when a portion is through asks for the next one, or ends. A loop, since
/// where all servers are down a portion is through as soon as it is issued.
void RetrievalSlot::go_on() {
  while (!issuing_) {
    pass_on();
    if (open_parts_ > 0) return;
    context_.metrics.get_keys.add(answers_.size());
    answers_.clear();
    next_out_ = 0;
    if (rest_.empty() || !error_.empty()) return end();
    if (!client_->has_room()) {
      if (!blocked_at_) blocked_at_ = client_->now();
      return;
    }
    // What the client's slowness costs is not counted against the request's time.
    if (blocked_at_) started_ += client_->now() - *std::exchange(blocked_at_, std::nullopt);
    issue();
  }
}

void RetrievalSlot::issue() {
  issuing_ = true;
  divide(client_->portion_max());
  open_parts_ = parts_.size();
  for (std::uint32_t i = 0; i < parts_.size(); ++i) submit(i);
  issuing_ = false;
}

/// Takes the next keys and gives each server its line.
void RetrievalSlot::divide(std::size_t keys_max) {
  answers_.clear();
  parts_.clear();
  next_out_ = 0;
  open_part_.assign(context_.router.server_count(), kNone);
  protocol::KeyWalker walker(rest_);
  while (answers_.size() < keys_max) {
    const std::string_view key = walker.next();
    if (key.empty()) break;
    const auto index = static_cast<std::uint32_t>(answers_.size());
    answers_.push_back(Answer{.next_in_part = kNone, .key = key, .block = {}});
    const std::optional<Router::Target> target = context_.router.only_target(verb_, key);
    // A part of its own, to which nothing is added, where the route has more to do.
    std::uint32_t own = kNone;
    std::uint32_t& open = target ? open_part_[target->number] : own;
    if (open == kNone || parts_[open].line_size + key.size() + 3 > line_max(verb_)) {
      open = static_cast<std::uint32_t>(parts_.size());
      parts_.push_back({.target = target,
                        .first = index,
                        .last = index,
                        .cursor = index,
                        .line_size = prefix_size()});
    } else {
      answers_[parts_[open].last].next_in_part = index;
      parts_[open].last = index;
    }
    parts_[open].line_size += 1 + key.size();
  }
  rest_ = walker.rest();
  if (protocol::KeyWalker(rest_).next().empty()) rest_ = {};
}

std::size_t RetrievalSlot::prefix_size() const {
  return protocol::to_string(verb_).size() + (exptime_.empty() ? 0 : 1 + exptime_.size());
}

void RetrievalSlot::submit(std::uint32_t part_index) {
  Part& part = parts_[part_index];
  upstream::ExchangePtr exchange = make_exchange(context_, *this, verb_, started_);
  exchange->tag = part_index;
  exchange->follows_write = client_->note_order(verb_);
  exchange->head = context_.blocks.allocate_always(part.line_size + 2);
  char* out = exchange->head.data();
  const auto put = [&out](std::string_view text) {
    out = std::copy(text.begin(), text.end(), out);
  };
  put(protocol::to_string(verb_));
  if (!exptime_.empty()) {
    put(" ");
    put(exptime_);
  }
  for (std::uint32_t i = part.first; i != kNone; i = answers_[i].next_in_part) {
    put(" ");
    put(answers_[i].key);
  }
  put("\r\n");
  exchange->head_size = static_cast<std::size_t>(out - exchange->head.data());
  part.exchange = exchange.get();
  if (part.target) {
    Router::submit_to(*part.target, std::move(exchange), client_->lane());
  } else {
    context_.router.submit(std::move(exchange), answers_[part.first].key, client_->lane());
  }
}

/// The answer that an item is for: the part's next one with its key. Those passed over are misses.
RetrievalSlot::Answer* RetrievalSlot::match(Part& part, std::string_view key) {
  while (part.cursor != kNone) {
    Answer& answer = answers_[part.cursor];
    part.cursor = answer.next_in_part;
    if (answer.key == key) return &answer;
    answer.state = Answer::State::Miss;
  }
  return nullptr;
}

void RetrievalSlot::on_item(upstream::Exchange& exchange, upstream::Item&& item) {
  client_->learn_item_size(item.wire.size());
  Answer* answer = match(parts_[exchange.tag], item.line.key);
  if (answer == nullptr) return;  // a key that was not asked for: nothing of it is passed on
  answer->state = Answer::State::Hit;
  pass_on();
  if (answer != &answers_[next_out_]) return keep(*answer, std::move(item));
  const std::size_t size = item.wire.size();
  if (item.large) {
    write(std::move(item.large), size);
  } else {
    write(item.wire);
  }
  ++next_out_;
  count(context_.metrics.get_hits, context_.metrics.of_gat.hits);
  pass_on();
}

void RetrievalSlot::keep(Answer& answer, upstream::Item&& item) {
  answer.size = item.wire.size();
  if (item.large) {
    answer.block = std::move(item.large);
  } else {
    answer.block = context_.blocks.allocate(answer.size);
    if (!answer.block) {
      answer.state = Answer::State::Miss;
      context_.metrics.unavailable.add();
      return;
    }
    std::memcpy(answer.block.data(), item.wire.data(), answer.size);
  }
  client_->hold(answer.size);
}

void RetrievalSlot::on_line(upstream::Exchange& exchange, const protocol::ReplyLine& line) {
  if (line.code != protocol::ReplyCode::End && error_.empty()) error_ = line.line;
  end_part(exchange);
}

void RetrievalSlot::on_failed(upstream::Exchange& exchange, upstream::Failure failure) {
  context_.metrics.unavailable.add();
  if (exchange.on_down == protocol::DownPolicy::Error && error_.empty()) {
    error_ = unavailable_reply(exchange, failure);
  }
  end_part(exchange);
}

void RetrievalSlot::end_part(upstream::Exchange& exchange) {
  Part& part = parts_[exchange.tag];
  part.exchange = nullptr;
  match(part, {});  // no key is empty: all that is left of it are misses
  --open_parts_;
  go_on();
}

/// What is got is touched, too, where it is by gat.
void RetrievalSlot::count(metrics::Counter& got, metrics::Counter& touched) const {
  got.add();
  if (verb_ == Verb::Gat || verb_ == Verb::Gats) touched.add();
}

/// Gives the client what has its turn. A Hit without a block is the one that on_item is about to
/// write.
void RetrievalSlot::pass_on() {
  for (; next_out_ < answers_.size(); ++next_out_) {
    Answer& answer = answers_[next_out_];
    if (answer.state == Answer::State::Waiting) return;
    if (answer.state == Answer::State::Miss) {
      count(context_.metrics.get_misses, context_.metrics.of_gat.misses);
      continue;
    }
    if (!answer.block) return;
    count(context_.metrics.get_hits, context_.metrics.of_gat.hits);
    client_->release(answer.size);
    write(std::move(answer.block), answer.size);
  }
}

void RetrievalSlot::end() {
  rest_ = {};
  client_->release_request(line_.capacity());
  line_.release();
  write(error_.empty() ? std::string_view("END\r\n") : std::string_view(error_));
  finish();
}

void RetrievalSlot::give_up() {
  for (Part& part : parts_) {
    if (part.exchange != nullptr) part.exchange->give_up();
    part.exchange = nullptr;
  }
  for (Answer& answer : answers_) answer.block.release();
}

void RetrievalSlot::recycle() {
  clear();
  line_.release();
  rest_ = exptime_ = {};
  answers_.clear();
  parts_.clear();
  open_parts_ = 0;
  context_.retrieval_slots.give_back(*this);
}

}  // namespace mcsteady::proxy
