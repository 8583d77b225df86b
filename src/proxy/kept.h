#pragma once

#include <memory>
#include <vector>

namespace mcsteady::proxy {

/// Objects that are used again and again, and live as long as this does. For those that may still
/// be in use when all ends.
template <class Object, class Context>
class Kept {
 public:
  explicit Kept(Context& context) : context_(context) {}

  Object& take() {
    if (idle_.empty()) {
      all_.push_back(std::make_unique<Object>(context_));
      return *all_.back();
    }
    Object& object = *idle_.back();
    idle_.pop_back();
    return object;
  }
  void give_back(Object& object) { idle_.push_back(&object); }

 private:
  Context& context_;
  std::vector<std::unique_ptr<Object>> all_;
  std::vector<Object*> idle_;
};

}  // namespace mcsteady::proxy
