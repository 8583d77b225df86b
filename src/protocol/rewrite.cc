#include "mcsteady/protocol/rewrite.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "protocol/binary/base64.h"

namespace mcsteady::protocol {

namespace {
constexpr std::size_t kKeyMax = 250;
constexpr std::int64_t kRelativeMax = std::int64_t{60} * 60 * 24 * 30;
constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

bool is_gat(Verb verb) {
  return verb == Verb::Gat || verb == Verb::Gats;
}

/// Which word of a classic command its exptime is.
std::size_t exptime_at(Verb verb) {
  switch (verb) {
    case Verb::Set:
    case Verb::Add:
    case Verb::Replace:
    case Verb::Append:
    case Verb::Prepend:
    case Verb::Cas:
      return 3;
    case Verb::Touch:
      return 2;
    case Verb::Gat:
    case Verb::Gats:
      return 1;
    default:
      return kNowhere;
  }
}

/// Of meta commands, the flags that say how long something lives.
bool is_ttl_flag(Verb verb, std::string_view flag) {
  if (flag.front() == 'T') return true;
  return flag.front() == 'N' && (verb == Verb::MetaGet || verb == Verb::MetaArithmetic);
}

std::string capped(std::string_view exptime, std::chrono::seconds ttl_max, std::int64_t now) {
  std::int64_t seconds = 0;
  const auto [end, error] =
      std::from_chars(exptime.data(), exptime.data() + exptime.size(), seconds);
  const bool is_number = error == std::errc{} && end == exptime.data() + exptime.size();
  if (!is_number || seconds < 0)
    return std::string(exptime);  // the server's to refuse; in the past
  const std::int64_t left = seconds > kRelativeMax ? seconds - now : seconds;
  if (seconds != 0 && left <= ttl_max.count()) return std::string(exptime);
  return std::to_string(ttl_max.count());
}

bool has_flag(std::string_view line, char flag) {
  KeyWalker words(line);
  words.next();
  words.next();
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word.front() == flag) return true;
  }
  return false;
}

std::string_view key_in(Verb verb, std::string_view line) {
  KeyWalker words(line);
  words.next();
  if (is_gat(verb)) words.next();
  return words.next();
}

/// The key as the server is to see it. Empty: it cannot be.
std::string rewritten_key(Verb verb, std::string_view line, const Rewrite& rewrite) {
  const std::string_view written = key_in(verb, line);
  if (!rewrite.changes_keys()) return std::string(written);
  std::array<char, kRawKeyMax> room;
  const std::string_view bytes = is_meta(verb) ? raw_key(verb, line, written, room) : written;
  std::string key = rewrite.key_for(bytes);
  if (!key.empty() && is_meta(verb) && has_flag(line, 'b')) {
    std::string text(binary::base64_size(key.size()), '\0');
    binary::put_base64(key, text.data());
    key = std::move(text);
  }
  if (key.size() > kKeyMax) key.clear();
  return key;
}

void add_word(std::string& line, std::string_view word) {
  if (!line.empty()) line += ' ';
  line += word;
}
}  // namespace

std::string Rewrite::key_for(std::string_view key) const {
  if (key.starts_with(strip)) key.remove_prefix(strip.size());
  return key.empty() ? std::string() : add + std::string(key);
}

std::optional<std::string> rewritten(Verb verb, std::string_view line, const Rewrite& rewrite,
                                     std::int64_t now) {
  const std::string key = rewritten_key(verb, line, rewrite);
  if (key.empty()) return std::nullopt;
  const std::size_t key_at = is_gat(verb) ? 2 : 1;
  const bool caps = rewrite.ttl_max.count() > 0;
  bool has_ttl = false;
  std::string result;
  KeyWalker words(line);
  std::size_t at = 0;
  for (std::string_view word = words.next(); !word.empty(); word = words.next(), ++at) {
    if (at == key_at) {
      add_word(result, key);
    } else if (caps && !is_meta(verb) && at == exptime_at(verb)) {
      add_word(result, capped(word, rewrite.ttl_max, now));
    } else if (caps && is_meta(verb) && at > key_at && is_ttl_flag(verb, word)) {
      has_ttl = has_ttl || word.front() == 'T';
      add_word(result, word.substr(0, 1));
      result += capped(word.substr(1), rewrite.ttl_max, now);
    } else {
      add_word(result, word);
    }
  }
  if (caps && verb == Verb::MetaSet && !has_ttl) {
    add_word(result, "T" + std::to_string(rewrite.ttl_max.count()));
  }
  return result.append("\r\n");
}

std::string restored(Verb verb, std::string_view reply, std::string_view command) {
  const std::string_view key = key_in(verb, command.substr(0, command.find('\r')));
  const std::string_view line = reply.substr(0, reply.find('\r'));
  const bool names_it_second = line.starts_with("VALUE ") || line.starts_with("ME ");
  std::string result;
  KeyWalker words(line);
  std::size_t at = 0;
  for (std::string_view word = words.next(); !word.empty(); word = words.next(), ++at) {
    if (names_it_second && at == 1) {
      add_word(result, key);
    } else if (is_meta(verb) && !names_it_second && at > 0 && word.front() == 'k') {
      add_word(result, "k");
      result += key;
    } else {
      add_word(result, word);
    }
  }
  return result.append("\r\n");
}

}  // namespace mcsteady::protocol
