#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "mcsteady/metrics/histogram.h"
#include "mcsteady/metrics/metrics.h"

namespace mcsteady::metrics {

/// What a metric is called: a name, and the server (or other subject) it is of, or nothing.
struct MetricName {
  std::string name;
  std::string subject;
  friend auto operator<=>(const MetricName&, const MetricName&) = default;
};

/// All values at about one moment; those of several workers under one name are added up.
struct Snapshot {
  std::map<MetricName, std::uint64_t> counters;
  std::map<MetricName, std::int64_t> gauges;
  std::map<MetricName, Histogram::Counts> histograms;

  std::uint64_t counter(const std::string& name, const std::string& subject = "") const;
  std::int64_t gauge(const std::string& name, const std::string& subject = "") const;
  /// Leaves what was counted since `before`, a snapshot of the same registry. Gauges stay as they
  /// are: they tell of now.
  void subtract(const Snapshot& before);
  /// The sum of a counter over all its subjects.
  std::uint64_t total(const std::string& name) const;
  Duration quantile(const std::string& name, const std::string& subject, double share) const;
};

/// Knows every metric by name. Threads: any. What is added must outlive the registry's last
/// snapshot, or be removed with its owner.
class Registry {
 public:
  void add(MetricName name, const Counter& counter);
  void add(MetricName name, const Gauge& gauge);
  void add(MetricName name, const Histogram& histogram);
  /// The metric may go: its owner is not there any more. What a counter or a histogram held is kept
  /// under the same name and the subject kGone, so that totals never fall; a gauge's value goes.
  void remove(const MetricName& name, const Counter& counter);
  void remove(const MetricName& name, const Gauge& gauge);
  void remove(const MetricName& name, const Histogram& histogram);
  Snapshot snapshot() const;

  /// The subject of what those that have gone counted.
  static constexpr const char* kGone = "(gone)";

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<MetricName, const Counter*>> counters_;
  std::vector<std::pair<MetricName, const Gauge*>> gauges_;
  std::vector<std::pair<MetricName, const Histogram*>> histograms_;
  Snapshot gone_;
};

}  // namespace mcsteady::metrics
