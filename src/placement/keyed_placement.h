#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "mcsteady/placement/placement.h"
#include "placement/key_part.h"
#include "placement/looks.h"

namespace mcsteady::placement {

/// A placement made of a rule for what of the key is hashed, a locator, and a rule for looking
/// further. A locator has `of(text)`, the position of a text's server, and `next(text, live)`; one
/// that goes by a hash has `hash(text)` and `at(hash)` too.
template <class Locator>
class KeyedPlacement final : public Placement {
 public:
  KeyedPlacement(const PlacementOptions& options, Locator locator)
      : key_(options.key), rehash_(options.rehash), locator_(std::move(locator)) {}

  std::size_t place(std::string_view key) const override {
    return with_part(key, [this](std::string_view part) { return locator_.of(part); });
  }

  std::optional<std::size_t> place_rehashed(std::string_view key, Live live) const override {
    return with_part(key, [&](std::string_view part) { return rehashed(part, live); });
  }

  std::optional<std::size_t> place_next(std::string_view key, Live live) const override {
    return with_part(key, [&](std::string_view part) { return locator_.next(part, live); });
  }

  std::string explain(std::string_view key) const override {
    return with_part(key, [&](std::string_view part) {
      std::string text = "of the key, \"" + std::string(part) + "\" is hashed";
      if constexpr (requires { locator_.hash(part); }) {
        text += ", to " + std::to_string(locator_.hash(part));
      }
      return text;
    });
  }

 private:
  using Rehash = PlacementOptions::Rehash;

  template <class Use>
  auto with_part(std::string_view key, Use use) const {
    const std::string_view part = part_of(key, key_);
    if (key_.salt.empty()) return use(part);
    return use(JoinedKey(part, key_.salt).view());
  }

  std::optional<std::size_t> rehashed(std::string_view part, Live live) const {
    if (rehash_ == Rehash::NextInList) return next_in_list(locator_.of(part), live);
    if constexpr (requires { locator_.at(locator_.hash(part)); }) {
      if (rehash_ == Rehash::Spymemcached) return spymemcached_looks(part, live, locator_);
      if (rehash_ == Rehash::PythonMemcached) return python_memcached_looks(part, live, locator_);
    }
    return dalli_looks(part, live, [this](std::string_view text) { return locator_.of(text); });
  }

  KeyPart key_;
  Rehash rehash_;
  Locator locator_;
};

}  // namespace mcsteady::placement
