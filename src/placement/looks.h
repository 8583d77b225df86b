#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mcsteady/placement/placement.h"

namespace mcsteady::placement {

inline bool is_live(Live live, std::size_t node) {
  return live[node] != 0;
}

/// A key with something before or after it, in one piece for a hash. Keys of up to 250 bytes, which
/// is what memcached has, need no allocation.
class JoinedKey {
 public:
  JoinedKey(std::string_view first, std::string_view second) : size_(first.size() + second.size()) {
    char* bytes = inline_;
    if (size_ > sizeof(inline_)) {
      long_.resize(size_);
      bytes = long_.data();
    }
    first.copy(bytes, first.size());
    second.copy(bytes + first.size(), second.size());
  }
  std::string_view view() const {
    return {size_ > sizeof(inline_) ? long_.data() : inline_, size_};
  }

 private:
  std::size_t size_;
  char inline_[512];
  std::string long_;
};

/// A number before a key, as Dalli and spymemcached write it.
class NumberedKey {
 public:
  NumberedKey(unsigned number, std::string_view key) : key_(digits_of(number), key) {}
  std::string_view view() const { return key_.view(); }

 private:
  std::string_view digits_of(unsigned number) {
    const auto end = std::to_chars(digits_, digits_ + sizeof(digits_), number).ptr;
    return {digits_, static_cast<std::size_t>(end - digits_)};
  }
  char digits_[10];
  JoinedKey key_;
};

/// Dalli's way past a dead server, lib/dalli/ring.rb: the key, then "0" and the key, "1" and the
/// key and so on, twenty looks in all. `place` says where a text belongs.
template <class Place>
std::optional<std::size_t> dalli_looks(std::string_view key, Live live, Place place) {
  constexpr unsigned kLooks = 20;
  std::size_t node = place(key);
  for (unsigned look = 1; look < kLooks && !is_live(live, node); ++look) {
    node = place(NumberedKey(look - 1, key).view());
  }
  return is_live(live, node) ? std::optional(node) : std::nullopt;
}

/// spymemcached's, KetamaIterator.java: the key's hash and six more, each the last one and the hash
/// of a number and the key, in 32 bits. Where none meets a live server, the request waits for the
/// key's own, and so it is unset here.
template <class Locator>
std::optional<std::size_t> spymemcached_looks(std::string_view key, Live live,
                                              const Locator& locator) {
  constexpr unsigned kLooks = 7;
  std::uint64_t hash = locator.hash(key);
  for (unsigned look = 0; look < kLooks; ++look) {
    const std::size_t node = locator.at(hash);
    if (is_live(live, node)) return node;
    hash = (hash + locator.hash(NumberedKey(look, key).view())) & 0xffffffff;
  }
  return std::nullopt;
}

/// python-memcached's, memcache.py, _get_server(): ten tries, each with the hash of the digits of
/// the last hash and of the number of the try.
template <class Locator>
std::optional<std::size_t> python_memcached_looks(std::string_view key, Live live,
                                                  const Locator& locator) {
  constexpr unsigned kTries = 10;
  std::uint64_t hash = locator.hash(key);
  for (unsigned attempt = 0; attempt < kTries; ++attempt) {
    const std::size_t node = locator.at(hash);
    if (is_live(live, node)) return node;
    char digits[10];
    const auto end = std::to_chars(digits, digits + sizeof(digits), attempt).ptr;
    const std::string_view number(digits, static_cast<std::size_t>(end - digits));
    hash = locator.hash(NumberedKey(static_cast<unsigned>(hash), number).view());
  }
  return std::nullopt;
}

/// The first live node from `node` on, round the list.
inline std::optional<std::size_t> next_in_list(std::size_t node, Live live) {
  for (std::size_t step = 0; step < live.size(); ++step) {
    const std::size_t candidate = (node + step) % live.size();
    if (is_live(live, candidate)) return candidate;
  }
  return std::nullopt;
}

}  // namespace mcsteady::placement
