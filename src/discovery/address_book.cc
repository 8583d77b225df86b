#include "discovery/address_book.h"

#include <algorithm>
#include <utility>

namespace mcsteady::discovery {

namespace {
// A resolver that fails is told of once, and then this often.
constexpr Duration kLogEvery = std::chrono::minutes(1);

std::string in_words(const std::vector<net::Address>& addresses) {
  std::string text;
  for (const net::Address& address : addresses) text += (text.empty() ? "" : ",") + address.text();
  return text.empty() ? "none" : text;
}
}  // namespace

AddressBook::AddressBook(const Context& context, Listener& listener)
    : context_(context), listener_(listener) {
  timer_ = context_.loop.make_timer([this](TimePoint) { ask_what_is_due(); });
}

AddressBook::~AddressBook() = default;

void AddressBook::watch(const upstream::Fleet::ServerPtr& server) {
  if (const auto numeric = net::numeric_address(server->endpoint())) {
    if (server->set_addresses({*numeric})) listener_.on_addresses(*server);
    return;
  }
  const std::string key = server->endpoint().text();
  const TimePoint now = context_.loop.now();
  const auto known = names_.find(key);
  if (known != names_.end() && known->second.server.lock() == server) return;
  names_.insert_or_assign(key, Name{.server = server,
                                    .schedule = LookupSchedule(context_.limits, now),
                                    .failure_logged_at = now - kLogEvery});
  arm_timer();
}

void AddressBook::doubt(const upstream::SharedServer& server) {
  const auto known = names_.find(server.endpoint().text());
  if (known == names_.end()) return;
  known->second.schedule.hurry(context_.loop.now());
  arm_timer();
}

bool AddressBook::is_settled() const {
  return std::ranges::all_of(names_, [](const auto& entry) { return entry.second.is_settled; });
}

void AddressBook::ask_what_is_due() {
  const TimePoint now = context_.loop.now();
  for (auto it = names_.begin(); it != names_.end();) {
    auto& [key, name] = *it;
    const auto server = name.server.lock();
    if (!server) {
      it = names_.erase(it);
      continue;
    }
    if (name.schedule.is_due(now)) ask(key, name, *server);
    ++it;
  }
  arm_timer();
}

void AddressBook::ask(const std::string& key, Name& name, const upstream::SharedServer& server) {
  name.schedule.on_asked(context_.loop.now());
  context_.metrics.lookups.add();
  context_.resolver.find_addresses(server.endpoint(),
                                   [this, key, alive = std::weak_ptr<bool>(alive_)](
                                       const Result<net::AddressAnswer, net::LookupError>& answer) {
                                     if (!alive.expired()) on_answer(key, answer);
                                   });
}

void AddressBook::on_answer(const std::string& key,
                            const Result<net::AddressAnswer, net::LookupError>& answer) {
  const auto known = names_.find(key);
  if (known == names_.end()) return;
  Name& name = known->second;
  const auto server = name.server.lock();
  if (!server || name.schedule.due()) return;  // nobody wants it, or it is of a name before
  name.is_settled = true;
  if (answer) {
    on_found(name, *server, *answer);
  } else {
    on_failed(name, *server, answer.error());
  }
  arm_timer();
}

void AddressBook::on_found(Name& name, upstream::SharedServer& server,
                           const net::AddressAnswer& answer) {
  name.schedule.on_answered(answer.ttl, context_.loop.now());
  if (std::exchange(name.failures, 0) > 0) {
    context_.log.info("server name resolves again", {{"server", server.name()}});
  }
  const std::vector<net::Address> before = server.addresses();
  if (!server.set_addresses(answer.addresses)) return;
  if (!before.empty()) {
    context_.metrics.address_changes.add();
    context_.log.info("server has another address", {{"server", server.name()},
                                                     {"before", in_words(before)},
                                                     {"now", in_words(answer.addresses)}});
  }
  listener_.on_addresses(server);
}

void AddressBook::on_failed(Name& name, const upstream::SharedServer& server,
                            const net::LookupError& error) {
  const TimePoint now = context_.loop.now();
  name.schedule.on_failed(now);
  context_.metrics.lookup_failures.add();
  ++name.failures;
  if (now - name.failure_logged_at < kLogEvery) return;
  name.failure_logged_at = now;
  const std::vector<net::Address> kept = server.addresses();
  context_.log.warn("server name does not resolve, will be tried again",
                    {{"server", server.name()},
                     {"cause", to_string(error.kind)},
                     {"error", error.text},
                     {"failures", name.failures},
                     {"kept", in_words(kept)}});
}

void AddressBook::arm_timer() {
  std::optional<TimePoint> first;
  for (const auto& [key, name] : names_) {
    const auto due = name.schedule.due();
    if (due && (!first || *due < *first)) first = due;
  }
  if (first) {
    timer_->set(*first);
  } else {
    timer_->clear();
  }
}

}  // namespace mcsteady::discovery
