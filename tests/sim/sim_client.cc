#include "sim/sim_client.h"

#include <algorithm>

namespace mcsteady::test {

SimClient::SimClient(SimLoop& loop, const net::Address& proxy, int id, Rng rng, Expect expect,
                     std::size_t value_max)
    : rng_(rng), expect_(expect), id_(id), value_max_(value_max) {
  const std::size_t keys = rng_.between(1, 12);
  for (std::size_t i = 0; i < keys; ++i) {
    keys_.push_back(
        {.name = "client" + std::to_string(id_) + "-key" + std::to_string(i), .possible = {}});
  }
  stream_ = loop.connect(proxy, *this);
}

void SimClient::close() {
  closed_ = true;
  stream_->close();
}

std::size_t SimClient::pieces(std::span<iovec> out) {
  if (unsent_.empty()) return 0;
  out[0] = {unsent_.data(), unsent_.size()};
  return 1;
}

// ---- asking

void SimClient::act(std::size_t limit) {
  if (closed_ || ended_) return;
  for (std::size_t batch = rng_.between(1, 6); batch > 0 && requests_ < limit; --batch) {
    send_request();
    ++requests_;
  }
  end_batch();
  if (!unsent_.empty()) stream_->flush();
}

std::string SimClient::value(const Key& key, int version) {
  std::string text = key.name + "#" + std::to_string(version) + "#";
  const bool large = rng_.chance(0.15);
  const std::size_t size = rng_.below(large ? value_max_ : 300);
  // The filler looks like protocol, so that a reader that is out of step believes it.
  static constexpr std::string_view kFiller = "END\r\nVALUE client0-key0 0 3\r\nHD\r\nVA 1\r\n";
  while (text.size() < size) text += kFiller;
  return text;
}

int SimClient::begin_write(Key& key) {
  const int version = ++key.newest;
  key.possible.insert(version);
  if (is_exact()) key.confirmed = version;
  return version;
}

// ---- checking

void SimClient::on_received(std::size_t count) {
  received_.append(buffer_.data(), count);
  while (complaint_.empty() && check_front()) {
  }
}

bool SimClient::check_value(const Asked& asked, std::string_view value) {
  const std::string prefix = asked.key->name + "#";
  if (!value.starts_with(prefix)) {
    complain("the value of another key", value.substr(0, 60));
    return false;
  }
  const int version = std::stoi(std::string(value.substr(prefix.size(), 10)));
  const bool known = asked.key->possible.contains(version);
  const bool ahead = expect_ == Expect::Ahead && asked.confirmed == 0 && version > asked.newest;
  const bool right = is_exact() ? version == asked.confirmed || (ahead && known) : known;
  if (!right)
    complain("a version that it should not have, for " + asked.key->name, value.substr(0, 60));
  return right;
}

void SimClient::check_miss(const Asked& asked) {
  if (is_exact() && asked.confirmed > 0) {
    complain("a miss of " + asked.key->name + ", which was written", "");
  }
}

void SimClient::check_deleted(const Asked& asked, bool was_there) {
  if (is_exact() && was_there != (asked.confirmed > 0)) {
    complain("the key " + asked.key->name + " was or was not there", "");
  }
}

void SimClient::stored(const Asked& asked, int version) {
  if (expect_ == Expect::Honest) asked.key->confirmed = std::max(asked.key->confirmed, version);
}

void SimClient::failed(bool known, std::string_view said) {
  ++failures_;
  if (expect_ != Expect::Honest || !known) complain("a failure where there should be none", said);
}

void SimClient::complain(const std::string& what, std::string_view said) {
  if (!complaint_.empty()) return;
  complaint_ = "client " + std::to_string(id_) + ": " + what + ": '" + std::string(said) + "'";
}

}  // namespace mcsteady::test
