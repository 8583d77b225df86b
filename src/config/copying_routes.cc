// The routes that send one request to several places: replicate, migrate, shadow.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <iterator>
#include <utility>

#include "config/routes.h"
#include "config/words.h"

namespace mcsteady::config {
namespace {

using routing::RouteOptions;
using Kind = RouteOptions::Kind;
using Answer = RouteOptions::Answer;
using Read = RouteOptions::Read;
using SystemTime = std::chrono::system_clock::time_point;

/// "2027-01-31" or "2027-01-31T12:30:00Z", both in UTC.
std::optional<SystemTime> parse_date(std::string_view text) {
  const auto number = [&](std::size_t at, std::size_t size) -> int {
    int value = -1;
    if (at + size > text.size()) return -1;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + size, value);
    return error == std::errc{} && end == text.data() + at + size ? value : -1;
  };
  const bool has_time = text.size() == 20;
  if (text.size() != 10 && !has_time) return std::nullopt;
  const bool is_marked =
      text[4] == '-' && text[7] == '-' &&
      (!has_time || (text[10] == 'T' && text[13] == ':' && text[16] == ':' && text[19] == 'Z'));
  const int hour = has_time ? number(11, 2) : 0;
  const int minute = has_time ? number(14, 2) : 0;
  const int second = has_time ? number(17, 2) : 0;
  const int year = number(0, 4);
  const int month = number(5, 2);
  const int day = number(8, 2);
  const bool is_time =
      hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60;
  if (!is_marked || !is_time || year < 1970 || month < 1 || day < 1) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second);
}

/// "10%", "0.5%": in ten-thousandths.
std::optional<std::uint32_t> parse_share(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  double percent = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (!(percent >= 0.01 && percent <= 100)) return std::nullopt;
  return static_cast<std::uint32_t>(std::lround(percent * RouteOptions::kWhole / 100));
}

constexpr std::array<Choice<Answer>, 3> kAnswers = {
    {{"all", Answer::All}, {"first", Answer::First}, {"majority", Answer::Majority}}};
/// `near` is `first` with another order of the children.
struct HowToRead {
  Read read;
  bool is_near = false;
  bool operator==(const HowToRead&) const = default;
};
constexpr std::array<Choice<HowToRead>, 5> kReads = {{{"first", {Read::First}},
                                                      {"near", {Read::First, true}},
                                                      {"spread", {Read::Spread}},
                                                      {"fastest", {Read::Fastest}},
                                                      {"all", {Read::All}}}};

}  // namespace

RouteOptions RouteReader::read_replicate(Section& section) {
  RouteOptions route(Kind::Replicate);
  read_causes(section, route.failover);
  section.read_choice<Answer>("answer", route.answer, kAnswers);
  HowToRead how{route.read};
  section.read_choice<HowToRead>("read", how, kReads);
  route.read = how.read;
  const auto entry = section.find("replicate");
  if (!entry) return fallback();
  if (entry->value->kind != YamlNode::Kind::List || entry->value->items.size() < 2) {
    section.error(entry->value->mark, "replicate",
                  "takes a list of two routes or more, which all get what is written");
    return fallback();
  }
  for (const YamlNode* item : entry->value->items) route.children.push_back(read(*item));
  if (how.is_near) put_near_first(section, route.children);
  return route;
}

void RouteReader::put_near_first(Section& section, std::vector<RouteOptions>& children) {
  if (zone_.empty()) {
    return section.error(section.mark_of("read"), "read",
                         "near to what? Say at the top of the file where this proxy is: "
                         "zone: NAME");
  }
  const auto is_near = [this](const RouteOptions& child) { return reaches_zone(child); };
  if (std::ranges::none_of(children, is_near)) {
    section.error(section.mark_of("read"), "read",
                  "none of the pools is in zone " + quoted(zone_) + "; give them a zone, too");
  }
  std::vector<RouteOptions> in_order;
  for (const bool near : {true, false}) {
    std::ranges::copy_if(children, std::back_inserter(in_order),
                         [&](const RouteOptions& child) { return is_near(child) == near; });
  }
  children = std::move(in_order);
}

bool RouteReader::reaches_zone(const RouteOptions& route) const {
  if (route.kind == Kind::Pool) {
    const auto pool = std::ranges::find(pools_, route.text, &routing::PoolOptions::name);
    return pool != pools_.end() && pool->zone == zone_;
  }
  return std::ranges::any_of(route.children,
                             [this](const RouteOptions& child) { return reaches_zone(child); });
}

RouteOptions RouteReader::read_migrate(Section& section) {
  RouteOptions route(Kind::Migrate);
  route.answer = Answer::Main;
  route.failover.causes.set();
  route.failover.on_miss = true;
  Section places = section.subsection("migrate");
  auto to = read_child(places, "to");
  auto from = read_child(places, "from");
  places.finish();
  if (const auto text = section.scalar("until", "date")) {
    route.until = parse_date(*text);
    if (!route.until) {
      section.error(section.find("until")->value->mark, "until",
                    quoted(*text) + " is no date; write 2027-01-31 or 2027-01-31T12:30:00Z (UTC)");
    }
  }
  Duration fill{0};
  section.read_duration("fill", fill, Zero::Allowed);
  route.fill = std::chrono::ceil<std::chrono::seconds>(fill);
  if (!to || !from) return fallback();
  route.children = {std::move(*to), std::move(*from)};
  return route;
}

RouteOptions RouteReader::read_shadow(Section& section) {
  RouteOptions route(Kind::Shadow);
  auto main = read_child(section, "route");
  auto copies = read_child(section, "shadow");
  if (const auto text = section.scalar("share", "share")) {
    const auto share = parse_share(*text);
    if (share) route.share = *share;
    if (!share) {
      section.error(section.find("share")->value->mark, "share",
                    quoted(*text) + " is no share; write 10%, or any from 0.01% to 100%");
    }
  }
  if (!main || !copies) return fallback();
  route.children = {std::move(*main), std::move(*copies)};
  return route;
}

}  // namespace mcsteady::config
