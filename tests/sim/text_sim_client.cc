#include "sim/text_sim_client.h"

#include <algorithm>

namespace mcsteady::test {

namespace {
constexpr std::string_view kEnd = "\r\n";

std::string_view word(std::string_view line, std::size_t index) {
  for (; index > 0; --index) line.remove_prefix(std::min(line.find(' ') + 1, line.size()));
  return line.substr(0, line.find_first_of(" \r"));
}
}  // namespace

// ---- asking

void TextSimClient::send_request() {
  switch (rng_.below(8)) {
    case 0:
    case 1:
      return send_write(Owed::Kind::Set, "set");
    case 2:
      return send_write(Owed::Kind::MetaSet, "ms");
    case 3:
    case 4:
      return send_get();
    case 5: {
      Key& key = any_key();
      const bool quiet = rng_.chance(0.5);
      Owed owed{.kind = quiet ? Owed::Kind::QuietMetaGet : Owed::Kind::MetaGet,
                .asked = {ask(key)},
                .opaque = std::to_string(requests_)};
      unsent_ += "mg " + key.name + " v O" + owed.opaque + (quiet ? " q\r\n" : "\r\n");
      owed_.push_back(std::move(owed));
      if (!quiet) return;
      // A quiet get is only answered for by what comes behind it.
      unsent_ += "mn\r\n";
      owed_.push_back({.kind = Owed::Kind::Noop, .asked = {}, .opaque = {}});
      return;
    }
    case 6: {
      Key& key = any_key();
      owed_.push_back({.kind = Owed::Kind::Delete, .asked = {ask(key)}, .opaque = {}});
      unsent_ += "delete " + key.name + "\r\n";
      delete_from(key);
      return;
    }
    default:
      unsent_ += "mn\r\n";
      owed_.push_back({.kind = Owed::Kind::Noop, .asked = {}, .opaque = {}});
  }
}

void TextSimClient::send_write(Owed::Kind kind, std::string_view verb) {
  Key& key = any_key();
  Owed owed{.kind = kind, .asked = {ask(key)}, .opaque = {}};
  owed.version = begin_write(key);
  const std::string body = value(key, owed.version);
  const std::string size = std::to_string(body.size());
  unsent_ += std::string(verb) + " " + key.name + (kind == Owed::Kind::Set ? " 0 0 " : " ") + size;
  unsent_.append(kEnd).append(body).append(kEnd);
  owed_.push_back(std::move(owed));
}

void TextSimClient::send_get() {
  Owed owed{.kind = Owed::Kind::Get, .asked = {}, .opaque = {}};
  unsent_ += "get";
  for (std::size_t count = rng_.chance(0.5) ? 1 : rng_.between(2, 30); count > 0; --count) {
    Key& key = any_key();
    unsent_ += " " + key.name;
    owed.asked.push_back(ask(key));
  }
  unsent_ += "\r\n";
  owed_.push_back(std::move(owed));
}

// ---- checking

std::optional<std::string_view> TextSimClient::peek_line() const {
  const std::size_t end = received_.find(kEnd);
  if (end == std::string::npos) return std::nullopt;
  return std::string_view(received_).substr(0, end);
}

/// True: the reply at the front was whole, and has been taken.
bool TextSimClient::check_front() {
  const auto line = peek_line();
  if (!line) return false;
  if (owed_.empty()) {
    complain("a reply that nobody asked for", *line);
    return false;
  }
  const Owed& owed = owed_.front();
  switch (owed.kind) {
    case Owed::Kind::Get:
      if (!check_items(owed)) return false;
      break;
    case Owed::Kind::MetaGet:
    case Owed::Kind::QuietMetaGet:
      if (!check_meta_get(owed)) return false;
      break;
    case Owed::Kind::Noop:
      if (*line != "MN") complain("MN was due", *line);
      received_.erase(0, line->size() + 2);
      break;
    default:
      if (!check_write(owed)) return false;
  }
  owed_.pop_front();
  return true;
}

bool TextSimClient::check_items(const Owed& owed) {
  std::string_view rest = received_;
  std::size_t next = 0;  // of what was asked for
  for (;;) {
    const std::size_t end = rest.find(kEnd);
    if (end == std::string_view::npos) return false;
    const std::string_view line = rest.substr(0, end);
    if (!line.starts_with("VALUE ")) {
      for (; next < owed.asked.size(); ++next) check_miss(owed.asked[next]);
      if (line != "END") fail(owed, line);
      received_.erase(0, received_.size() - rest.size() + end + 2);
      return true;
    }
    const std::size_t size = std::stoul(std::string(word(line, 3)));
    if (rest.size() < end + 2 + size + 2) return false;
    while (next < owed.asked.size() && owed.asked[next].key->name != word(line, 1)) {
      check_miss(owed.asked[next++]);
    }
    if (next == owed.asked.size()) {
      complain("an item out of the order asked", line);
      return false;
    }
    if (!check_value(owed.asked[next++], rest.substr(end + 2, size))) return false;
    rest.remove_prefix(end + 2 + size + 2);
  }
}

bool TextSimClient::check_meta_get(const Owed& owed) {
  const std::string line(*peek_line());
  const bool ours = line.find(" O" + owed.opaque) != std::string::npos;
  if (owed.kind == Owed::Kind::QuietMetaGet && !ours) {
    check_miss(owed.asked.front());  // silence; the line belongs to what is behind
    return true;
  }
  if (line.starts_with("VA ")) {
    const std::size_t size = std::stoul(std::string(word(line, 1)));
    if (received_.size() < line.size() + 2 + size + 2) return false;
    if (!ours) complain("another request's reply", line);
    check_value(owed.asked.front(), std::string_view(received_).substr(line.size() + 2, size));
    received_.erase(0, line.size() + 2 + size + 2);
    return true;
  }
  if (line.starts_with("EN")) {
    check_miss(owed.asked.front());
  } else {
    fail(owed, line);
  }
  received_.erase(0, line.size() + 2);
  return true;
}

bool TextSimClient::check_write(const Owed& owed) {
  const std::string line(*peek_line());
  received_.erase(0, line.size() + 2);
  const bool deletes = owed.kind == Owed::Kind::Delete;
  if (deletes && (line == "DELETED" || line == "NOT_FOUND")) {
    check_deleted(owed.asked.front(), line == "DELETED");
  } else if (!deletes && line == (owed.kind == Owed::Kind::Set ? "STORED" : "HD")) {
    stored(owed.asked.front(), owed.version);
  } else {
    fail(owed, line);
  }
  return true;
}

void TextSimClient::fail(const Owed& owed, std::string_view line) {
  failed(line.starts_with("SERVER_ERROR ") ||
             (owed.kind == Owed::Kind::MetaSet && line.starts_with("NS")),
         line);
}

}  // namespace mcsteady::test
