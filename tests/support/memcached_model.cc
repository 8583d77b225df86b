#include "support/memcached_model.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <span>

#include "support/memcached_meta.h"

namespace mcsteady::test {

namespace {

using Words = std::vector<std::string>;

/// Past so many seconds an exptime is a date: doc/protocol.txt, "Expiration times".
constexpr std::int64_t kRelativeMax = std::int64_t{60} * 60 * 24 * 30;
/// The date at TimePoint{}: any that a relative time cannot reach.
constexpr std::int64_t kEpochDate = 1'700'000'000;

constexpr const char* kBadFormat = "CLIENT_ERROR bad command line format\r\n";
constexpr const char* kNotANumber =
    "CLIENT_ERROR cannot increment or decrement non-numeric value\r\n";

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

bool is_storage(std::string_view verb) {
  return is_one_of(verb, {"set", "add", "replace", "append", "prepend", "cas"});
}

std::string quieten(const Words& words, std::string reply) {
  return words.back() == "noreply" ? std::string() : reply;
}

bool is_key_bad(std::string_view key) {
  return key.size() > 250;  // doc/protocol.txt, "Keys"
}

}  // namespace

std::optional<std::size_t> MemcachedModel::body_size(const Words& words) {
  std::optional<std::size_t> size;
  if (is_storage(words[0])) {
    size = words.size() > 4 ? number<std::size_t>(words[4]).value_or(SIZE_MAX) : SIZE_MAX;
  } else if (words[0] == "ms") {
    size = words.size() > 2 ? number<std::size_t>(words[2]).value_or(SIZE_MAX) : SIZE_MAX;
  }
  return size;
}

std::string MemcachedModel::execute(const MemcachedCommand& command, TimePoint now) {
  now_ = now;
  const Words& words = command.words;
  const std::string& verb = words[0];
  if (is_one_of(verb, {"get", "gets", "gat", "gats"})) return retrieve(words);
  if (is_storage(verb)) return quieten(words, store_classic(command));
  if (is_one_of(verb, {"incr", "decr"})) return quieten(words, count(words));
  if (verb == "delete") return quieten(words, remove(words));
  if (verb == "touch") return quieten(words, touch(words));
  if (verb == "flush_all") return quieten(words, flush_all());
  if (verb == "verbosity") return quieten(words, "OK\r\n");
  if (verb == "version") return "VERSION 1.6.18\r\n";
  if (verb == "mn") return "MN\r\n";
  if (is_one_of(verb, {"mg", "ms", "md", "ma", "me"})) return meta(command);
  return "ERROR\r\n";
}

std::string MemcachedModel::retrieve(const Words& words) {
  const bool touches = words[0][1] == 'a';
  const bool with_cas = words[0].back() == 's';
  const std::size_t first = touches ? 2 : 1;
  if (words.size() <= first) return "ERROR\r\n";
  const auto keys = std::span(words).subspan(first);
  if (std::ranges::any_of(keys, is_key_bad)) return kBadFormat;
  std::string reply;
  for (const std::string& key : keys) {
    Item* item = find(key);
    if (item == nullptr) continue;
    if (touches) item->expires = expiry(words[1]);
    item->fetched = true;
    item->last_access = now_;
    reply += "VALUE " + key + " " + std::to_string(item->flags) + " " +
             std::to_string(item->value.size());
    if (with_cas) reply += " " + std::to_string(item->cas);
    reply += "\r\n" + item->value + "\r\n";
  }
  return reply + "END\r\n";
}

std::string MemcachedModel::store_classic(const MemcachedCommand& command) {
  const Words& words = command.words;
  const bool compares = words[0] == "cas";
  if (words.size() < (compares ? 6U : 5U)) return "ERROR\r\n";
  const auto flags = number<std::uint32_t>(words[2]);
  if (is_key_bad(words[1]) || !flags || !number<std::int64_t>(words[3])) return kBadFormat;
  Store request{.mode = words[0],
                .key = words[1],
                .value = command.body,
                .flags = *flags,
                .expires = expiry(words[3])};
  if (compares) {
    request.compare = number<std::uint64_t>(words[5]);
    if (!request.compare) return kBadFormat;
  }
  switch (store(request)) {
    case Stored::Stored:
      return "STORED\r\n";
    case Stored::Exists:
      return "EXISTS\r\n";
    case Stored::NotFound:
      return "NOT_FOUND\r\n";
    case Stored::NotStored:
      break;
  }
  return "NOT_STORED\r\n";
}

std::string MemcachedModel::count(const Words& words) {
  if (words.size() < 3) return "ERROR\r\n";
  const auto delta = number<std::uint64_t>(words[2]);
  if (!delta) return "CLIENT_ERROR invalid numeric delta argument\r\n";
  Item* item = find(words[1]);
  if (item == nullptr) return "NOT_FOUND\r\n";
  const auto result = calculate(item->value, *delta, words[0] == "incr");
  if (!result) return kNotANumber;
  replace_number(*item, *result);
  return std::to_string(*result) + "\r\n";
}

std::string MemcachedModel::remove(const Words& words) {
  if (words.size() < 2) return "ERROR\r\n";
  if (find(words[1]) == nullptr) return "NOT_FOUND\r\n";
  items_.erase(words[1]);
  return "DELETED\r\n";
}

std::string MemcachedModel::touch(const Words& words) {
  if (words.size() < 3) return "ERROR\r\n";
  Item* item = find(words[1]);
  if (item == nullptr) return "NOT_FOUND\r\n";
  item->expires = expiry(words[2]);
  return "TOUCHED\r\n";
}

std::string MemcachedModel::flush_all() {
  items_.clear();
  return "OK\r\n";
}

std::string MemcachedModel::meta(const MemcachedCommand& command) {
  const Meta request(command.words);
  if (!request.refusal().empty()) return request.refusal();
  std::string reply;
  switch (command.words[0][1]) {
    case 'g':
      reply = meta_get(request);
      break;
    case 's':
      reply = meta_set(request, command.body);
      break;
    case 'd':
      reply = meta_delete(request);
      break;
    case 'a':
      reply = meta_arithmetic(request);
      break;
    default:
      return meta_debug(request);
  }
  return request.is_withheld(reply) ? std::string() : reply;
}

std::string MemcachedModel::meta_get(const Meta& request) {
  Item* item = find(request.key());
  if (item == nullptr) return request.line("EN", nullptr);
  const MetaFacts before{
      .value = item->value,
      .flags = item->flags,
      .cas = item->cas,
      .ttl = ttl(*item),
      .seconds_since_access =
          std::chrono::duration_cast<std::chrono::seconds>(now_ - item->last_access).count(),
      .fetched = item->fetched};
  MetaFacts facts = before;
  if (const auto seconds = request.token('T')) {
    item->expires = expiry(*seconds);
    facts.ttl = ttl(*item);  // t shows what T has set
  }
  item->fetched = true;
  item->last_access = now_;
  return request.has('v') ? request.value(facts) : request.line("HD", &facts);
}

std::string MemcachedModel::meta_set(const Meta& request, const std::string& body) {
  static constexpr std::string_view kModes = "EAPRS";
  static const std::array<std::string, 5> kVerbs{"add", "append", "prepend", "replace", "set"};
  const std::string mode = request.token('M').value_or("S");
  const std::size_t verb = kModes.find(static_cast<char>(mode[0] & ~0x20));
  if (verb == std::string_view::npos) return "CLIENT_ERROR invalid mode for ms M token\r\n";
  Store made{.mode = kVerbs.at(verb),
             .key = request.key(),
             .value = body,
             .flags = number<std::uint32_t>(request.token('F').value_or("0")).value_or(0),
             .expires = expiry(request.token('T').value_or("0"))};
  if (const auto compare = request.token('C')) made.compare = number<std::uint64_t>(*compare);
  if (const auto new_cas = request.token('E')) made.new_cas = number<std::uint64_t>(*new_cas);
  if (const auto vivify = request.token('N')) made.vivify_until = expiry(*vivify);
  const Stored outcome = store(made);
  const Item* item = find(request.key());
  const MetaFacts facts{.value = body, .cas = outcome == Stored::Stored ? item->cas : 0};
  switch (outcome) {
    case Stored::Stored:
      return request.line("HD", &facts);
    case Stored::Exists:
      return request.line("EX", &facts);
    case Stored::NotFound:
      return request.line("NF", nullptr);
    case Stored::NotStored:
      break;
  }
  return request.line("NS", &facts);
}

std::string MemcachedModel::meta_delete(const Meta& request) {
  const Item* item = find(request.key());
  if (item == nullptr) return request.line("NF", nullptr);
  const auto compare = request.token('C');
  if (compare && number<std::uint64_t>(*compare) != item->cas) return request.line("EX", nullptr);
  items_.erase(request.key());
  return request.line("HD", nullptr);
}

std::string MemcachedModel::meta_arithmetic(const Meta& request) {
  const auto delta = number<std::uint64_t>(request.token('D').value_or("1"));
  if (!delta) return "CLIENT_ERROR invalid numeric delta argument\r\n";
  const std::string mode = request.token('M').value_or("I");
  if (!is_one_of(mode, {"I", "i", "+", "D", "d", "-"})) {
    return "CLIENT_ERROR invalid mode for ma M token\r\n";
  }
  Item* item = find(request.key());
  if (item == nullptr) {
    const auto vivify = request.token('N');
    if (!vivify) return request.line("NF", nullptr);
    store({.mode = "set",
           .key = request.key(),
           .value = request.token('J').value_or("0"),
           .flags = 0,
           .expires = expiry(*vivify)});
    item = find(request.key());
  } else {
    const auto compare = request.token('C');
    if (compare && number<std::uint64_t>(*compare) != item->cas) return request.line("EX", nullptr);
    const auto result = calculate(item->value, *delta, is_one_of(mode, {"I", "i", "+"}));
    if (!result) return kNotANumber;
    replace_number(*item, *result);
    if (const auto seconds = request.token('T')) item->expires = expiry(*seconds);
  }
  const std::string digits = item->value.substr(0, item->value.find(' '));
  const MetaFacts facts{.value = digits, .cas = item->cas, .ttl = ttl(*item)};
  return request.has('v') ? request.value(facts) : request.line("HD", &facts);
}

std::string MemcachedModel::meta_debug(const Meta& request) {
  const Item* item = find(request.key());
  if (item == nullptr) return "EN\r\n";
  return "ME " + request.written_key() + " exp=" + std::to_string(ttl(*item)) +
         " la=0 cas=" + std::to_string(item->cas) + " fetch=" + (item->fetched ? "yes" : "no") +
         " cls=1 size=" + std::to_string(item->value.size()) + "\r\n";
}

std::optional<std::string> MemcachedModel::value(const std::string& key) const {
  const auto found = items_.find(key);
  if (found == items_.end()) return std::nullopt;
  return found->second.value;
}

void MemcachedModel::set(const std::string& key, std::string value, std::uint32_t flags) {
  items_[key] = {.value = std::move(value), .flags = flags, .cas = ++last_cas_};
}

MemcachedModel::Item* MemcachedModel::find(const std::string& key) {
  const auto found = items_.find(key);
  if (found == items_.end()) return nullptr;
  if (found->second.expires > now_) return &found->second;
  items_.erase(found);
  return nullptr;
}

MemcachedModel::Stored MemcachedModel::store(const Store& request) {
  Item* old = find(request.key);
  const bool extends = is_one_of(request.mode, {"append", "prepend"});
  const bool vivifies = extends && old == nullptr && request.vivify_until;
  if (request.compare && old == nullptr) return Stored::NotFound;
  if (request.compare && old->cas != *request.compare) return Stored::Exists;
  if (request.mode == "add" && old != nullptr) return Stored::NotStored;
  if ((request.mode == "replace" || extends) && old == nullptr && !vivifies) {
    return Stored::NotStored;
  }
  const std::uint64_t cas = request.new_cas.value_or(++last_cas_);
  if (extends && old != nullptr) {
    old->value = request.mode == "append" ? old->value + request.value : request.value + old->value;
    old->cas = cas;
    return Stored::Stored;
  }
  items_[request.key] = {.value = request.value,
                         .flags = request.flags,
                         .cas = cas,
                         .expires = vivifies ? *request.vivify_until : request.expires,
                         .last_access = now_};
  return Stored::Stored;
}

std::optional<std::uint64_t> MemcachedModel::calculate(const std::string& value,
                                                       std::uint64_t delta, bool increment) {
  const auto old = number<std::uint64_t>(value.substr(0, value.find(' ')));
  if (!old) return std::nullopt;
  if (increment) return *old + delta;  // wraps: doc/protocol.txt, "Increment/Decrement"
  return *old > delta ? *old - delta : 0;
}

void MemcachedModel::replace_number(Item& item, std::uint64_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() < item.value.size()) digits.append(item.value.size() - digits.size(), ' ');
  item.value = digits;
  item.cas = ++last_cas_;
}

TimePoint MemcachedModel::expiry(std::string_view seconds) const {
  const std::int64_t given = number<std::int64_t>(seconds).value_or(0);
  if (given == 0) return TimePoint::max();
  if (given < 0) return now_;
  if (given > kRelativeMax) return TimePoint{std::chrono::seconds(given - kEpochDate)};
  return now_ + std::chrono::seconds(given);
}

std::int64_t MemcachedModel::ttl(const Item& item) const {
  if (item.expires == TimePoint::max()) return -1;
  return std::chrono::duration_cast<std::chrono::seconds>(item.expires - now_).count();
}

}  // namespace mcsteady::test
