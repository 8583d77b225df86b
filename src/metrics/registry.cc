#include "mcsteady/metrics/registry.h"

#include <algorithm>

namespace mcsteady::metrics {

void Registry::add(MetricName name, const Counter& counter) {
  const std::lock_guard lock(mutex_);
  counters_.emplace_back(std::move(name), &counter);
}

void Registry::add(MetricName name, const Gauge& gauge) {
  const std::lock_guard lock(mutex_);
  gauges_.emplace_back(std::move(name), &gauge);
}

void Registry::add(MetricName name, const Histogram& histogram) {
  const std::lock_guard lock(mutex_);
  histograms_.emplace_back(std::move(name), &histogram);
}

namespace {
template <class Metrics, class Metric>
bool take_out(Metrics& metrics, const Metric& metric) {
  return std::erase_if(metrics, [&](const auto& entry) { return entry.second == &metric; }) > 0;
}
}  // namespace

void Registry::remove(const MetricName& name, const Counter& counter) {
  const std::lock_guard lock(mutex_);
  if (take_out(counters_, counter)) gone_.counters[{name.name, kGone}] += counter.value();
}

void Registry::remove(const MetricName& /*name*/, const Gauge& gauge) {
  const std::lock_guard lock(mutex_);
  take_out(gauges_, gauge);
}

void Registry::remove(const MetricName& name, const Histogram& histogram) {
  const std::lock_guard lock(mutex_);
  if (take_out(histograms_, histogram)) histogram.add_to(gone_.histograms[{name.name, kGone}]);
}

Snapshot Registry::snapshot() const {
  const std::lock_guard lock(mutex_);
  Snapshot now = gone_;
  for (const auto& [name, counter] : counters_) now.counters[name] += counter->value();
  for (const auto& [name, gauge] : gauges_) now.gauges[name] += gauge->value();
  for (const auto& [name, histogram] : histograms_) histogram->add_to(now.histograms[name]);
  return now;
}

namespace {
/// What is left of `amount` when as much of it as there is has been taken off `from`.
std::uint64_t take_off(std::uint64_t& from, std::uint64_t amount) {
  const std::uint64_t taken = std::min(from, amount);
  from -= taken;
  return amount - taken;
}
}  // namespace

// What a subject had counted may be with those that have gone by now.
void Snapshot::subtract(const Snapshot& before) {
  for (const auto& [name, value] : before.counters) {
    const std::uint64_t rest = take_off(counters[name], value);
    if (rest > 0) take_off(counters[{name.name, Registry::kGone}], rest);
  }
  for (const auto& [name, counts] : before.histograms) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      const std::uint64_t rest = take_off(histograms[name][i], counts[i]);
      if (rest > 0) take_off(histograms[{name.name, Registry::kGone}][i], rest);
    }
  }
}

std::uint64_t Snapshot::counter(const std::string& name, const std::string& subject) const {
  const auto found = counters.find({name, subject});
  return found == counters.end() ? 0 : found->second;
}

std::int64_t Snapshot::gauge(const std::string& name, const std::string& subject) const {
  const auto found = gauges.find({name, subject});
  return found == gauges.end() ? 0 : found->second;
}

std::uint64_t Snapshot::total(const std::string& name) const {
  std::uint64_t sum = 0;
  for (auto it = counters.lower_bound({name, ""}); it != counters.end() && it->first.name == name;
       ++it) {
    sum += it->second;
  }
  return sum;
}

Duration Snapshot::quantile(const std::string& name, const std::string& subject,
                            double share) const {
  const auto found = histograms.find({name, subject});
  return found == histograms.end() ? Duration{0} : metrics::quantile(found->second, share);
}

}  // namespace mcsteady::metrics
