#include "sim/binary_sim_client.h"

#include <array>

namespace mcsteady::test {

namespace {
std::string in_words(const BinaryReply& reply) {
  return "status " + std::to_string(static_cast<int>(reply.status)) + " " +
         reply.value.substr(0, 60);
}
}  // namespace

// ---- asking

void BinarySimClient::send_request() {
  static constexpr std::array kGets{Opcode::Get, Opcode::GetQ, Opcode::GetK, Opcode::GetKQ};
  Key& key = any_key();
  const Asked asked = ask(key);
  const bool quiet = rng_.chance(0.5);
  switch (rng_.below(8)) {
    case 0:
    case 1:
    case 2: {
      const int version = begin_write(key);
      return send(storing(quiet ? Opcode::SetQ : Opcode::Set, key.name, value(key, version), 77),
                  asked, version);
    }
    case 3:
      delete_from(key);
      return send({.opcode = quiet ? Opcode::DeleteQ : Opcode::Delete, .key = key.name}, asked);
    case 4:
      return send({.opcode = Opcode::Noop}, {});
    case 5:
      return send(touching(quiet ? Opcode::GatKQ : Opcode::Gat, key.name, 0), asked);
    default:
      return send({.opcode = kGets.at(rng_.below(kGets.size())), .key = key.name}, asked);
  }
}

/// Quiet requests are only answered for by what comes behind them.
void BinarySimClient::end_batch() {
  if (!owed_.empty() && is_quiet(owed_.back().opcode)) send({.opcode = Opcode::Noop}, {});
}

void BinarySimClient::send(BinaryRequest request, const Asked& asked, int version) {
  request.opaque = ++last_opaque_;
  unsent_ += request.bytes();
  owed_.push_back({request.opcode, request.opaque, asked, version});
}

bool BinarySimClient::is_quiet(Opcode opcode) {
  switch (opcode) {
    case Opcode::GetQ:
    case Opcode::GetKQ:
    case Opcode::GatKQ:
    case Opcode::SetQ:
    case Opcode::DeleteQ:
      return true;
    default:
      return false;
  }
}

// ---- checking

bool BinarySimClient::check_front() {
  std::string_view rest = received_;
  const auto replies = read_replies(rest);
  if (!replies) {
    complain("bytes that are no reply", std::string_view(received_).substr(0, 60));
    return false;
  }
  for (const BinaryReply& reply : *replies) {
    while (!owed_.empty() && owed_.front().opaque != reply.opaque) {
      check_silence(owed_.front());
      owed_.pop_front();
    }
    if (owed_.empty()) {
      complain("a reply that nobody asked for", in_words(reply));
      return false;
    }
    check_reply(owed_.front(), reply);
    owed_.pop_front();
  }
  received_.erase(0, received_.size() - rest.size());
  return false;
}

void BinarySimClient::check_silence(const Owed& owed) {
  switch (owed.opcode) {
    case Opcode::GetQ:
    case Opcode::GetKQ:
    case Opcode::GatKQ:
      return check_miss(owed.asked);
    case Opcode::SetQ:
      return stored(owed.asked, owed.version);
    case Opcode::DeleteQ:
      return check_deleted(owed.asked, true);
    default:
      complain("no reply to what is not quiet", "");
  }
}

void BinarySimClient::check_reply(const Owed& owed, const BinaryReply& reply) {
  if (reply.opcode != owed.opcode) return complain("another command's reply", in_words(reply));
  const bool deletes = owed.opcode == Opcode::Delete || owed.opcode == Opcode::DeleteQ;
  if (reply.status == Status::KeyNotFound && deletes) return check_deleted(owed.asked, false);
  if (reply.status == Status::KeyNotFound) return check_miss(owed.asked);
  if (reply.status != Status::Ok) {
    return failed(reply.status == Status::TemporaryFailure, in_words(reply));
  }
  switch (owed.opcode) {
    case Opcode::Noop:
      return;
    case Opcode::Set:
      return stored(owed.asked, owed.version);
    case Opcode::Delete:
      return check_deleted(owed.asked, true);
    case Opcode::SetQ:
    case Opcode::DeleteQ:
      return complain("a success that should be silent", in_words(reply));
    default:
      check_hit(owed, reply);
  }
}

void BinarySimClient::check_hit(const Owed& owed, const BinaryReply& reply) {
  const bool returns_key =
      owed.opcode == Opcode::GetK || owed.opcode == Opcode::GetKQ || owed.opcode == Opcode::GatKQ;
  const std::string key = returns_key ? owed.asked.key->name : "";
  if (reply.key != key) complain("another request's key", reply.key);
  if (reply.extras != big_endian(77, 4)) complain("flags that were never given", in_words(reply));
  check_value(owed.asked, reply.value);
}

}  // namespace mcsteady::test
