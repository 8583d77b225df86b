#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "mcsteady/base/clock.h"

namespace mcsteady::routing {

/// Which of several has been the quickest to answer lately: the one with the least smoothed time
/// (the weights of RFC 6298, an eighth for the newest). Each of the others has its turn now and
/// then, so that one which has become quick is noticed. Pure.
class Fastest {
 public:
  static constexpr std::size_t kTryOthersEvery = 64;

  /// `count` is over 0.
  explicit Fastest(std::size_t count) : smoothed_(count, Duration{0}) {}

  /// Who is to be asked next: whoever has not been asked yet goes first.
  std::size_t choose() {
    if (++chosen_ % kTryOthersEvery == 0) return (chosen_ / kTryOthersEvery) % smoothed_.size();
    std::size_t best = 0;
    for (std::size_t i = 1; i < smoothed_.size(); ++i) {
      if (smoothed_[i] < smoothed_[best]) best = i;
    }
    return best;
  }

  void answered(std::size_t index, Duration time) {
    Duration& smoothed = smoothed_[index];
    smoothed = smoothed == Duration{0} ? time : smoothed + (time - smoothed) / 8;
  }
  /// It did not answer, however quickly that was known.
  void failed(std::size_t index) {
    smoothed_[index] = std::min(smoothed_[index] * 2 + kFailureMin, kFailureMax);
  }

 private:
  static constexpr Duration kFailureMin = std::chrono::milliseconds(10);
  static constexpr Duration kFailureMax = std::chrono::seconds(10);
  std::vector<Duration> smoothed_;
  std::size_t chosen_ = 0;
};

}  // namespace mcsteady::routing
