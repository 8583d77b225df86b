#include "support/memcached_meta.h"

#include <algorithm>

namespace mcsteady::test {

namespace {

/// RFC 4648; unset where it is not base64.
std::optional<std::string> decode_base64(std::string_view text) {
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0) return std::nullopt;
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char letter : text) {
    const std::size_t digit = kAlphabet.find(letter);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<unsigned>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += static_cast<char>(bits >> count & 0xff);
    }
  }
  return out;
}

}  // namespace

MemcachedModel::Meta::Meta(const std::vector<std::string>& words) : words_(words) {
  const std::size_t first = words[0] == "ms" ? 3 : 2;
  if (words.size() < first || words[1].size() > 250) {
    refusal_ = "CLIENT_ERROR bad command line format\r\n";
    return;
  }
  flags_.assign(words.begin() + static_cast<std::ptrdiff_t>(first), words.end());
  key_ = words[1];
  if (!has('b')) return;
  const auto decoded = decode_base64(key_);
  key_ = decoded.value_or("");
  if (!decoded) refusal_ = "CLIENT_ERROR error decoding key\r\n";
}

bool MemcachedModel::Meta::has(char flag) const {
  return std::ranges::any_of(flags_, [flag](const auto& word) { return word[0] == flag; });
}

std::optional<std::string> MemcachedModel::Meta::token(char flag) const {
  for (const std::string& word : flags_) {
    if (word[0] == flag && word.size() > 1) return word.substr(1);
  }
  return std::nullopt;
}

std::string MemcachedModel::Meta::told(const std::string& flag, const MetaFacts* facts) const {
  switch (flag[0]) {
    case 'O':
      return " " + flag;
    case 'k':
      return " k" + words_[1] + (has('b') ? " b" : "");
    default:
      break;
  }
  if (facts == nullptr) return "";
  switch (flag[0]) {
    case 'f':
      return " f" + std::to_string(facts->flags);
    case 'c':
      return " c" + std::to_string(facts->cas);
    case 't':
      return " t" + std::to_string(facts->ttl);
    case 's':
      return " s" + std::to_string(facts->value.size());
    case 'h':
      return facts->fetched ? " h1" : " h0";
    case 'l':
      return " l" + std::to_string(facts->seconds_since_access);
    default:
      return "";
  }
}

std::string MemcachedModel::Meta::line(std::string_view code, const MetaFacts* facts) const {
  std::string out(code);
  for (const std::string& flag : flags_) out += told(flag, facts);
  return out + "\r\n";
}

std::string MemcachedModel::Meta::value(const MetaFacts& facts) const {
  return line("VA " + std::to_string(facts.value.size()), &facts) + std::string(facts.value) +
         "\r\n";
}

bool MemcachedModel::Meta::is_withheld(std::string_view reply) const {
  if (!has('q')) return false;
  const std::string_view code = reply.substr(0, 2);
  const std::string& verb = words_[0];
  if (verb == "mg") return code == "EN";
  if (verb == "ms" || verb == "md") return code == "HD";
  return verb == "ma" && (code == "HD" || code == "VA");
}

}  // namespace mcsteady::test
