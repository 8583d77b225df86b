#pragma once

#include <cstddef>
#include <vector>

namespace mcsteady::proxy {

/// Slots of one kind, kept for reuse up to a bound, so that a request reaches the heap only at a
/// new peak. A slot belongs to whoever made it until it is given back. Outlives its slots.
template <class Slot, class Context>
class SlotPool {
 public:
  explicit SlotPool(Context& context) : context_(context) { idle_.reserve(kIdleMax); }
  ~SlotPool() {
    for (Slot* slot : idle_) delete slot;
  }
  SlotPool(const SlotPool&) = delete;
  SlotPool& operator=(const SlotPool&) = delete;

  Slot& make() {
    if (idle_.empty()) return *new Slot(context_);
    Slot& slot = *idle_.back();
    idle_.pop_back();
    return slot;
  }
  void give_back(Slot& slot) {
    if (idle_.size() < kIdleMax) {
      idle_.push_back(&slot);
    } else {
      delete &slot;
    }
  }

 private:
  static constexpr std::size_t kIdleMax = 1024;
  Context& context_;
  std::vector<Slot*> idle_;
};

}  // namespace mcsteady::proxy
