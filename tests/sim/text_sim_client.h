#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/sim_client.h"

namespace mcsteady::test {

/// One that speaks classic text and meta, mixed.
class TextSimClient final : public SimClient {
 public:
  TextSimClient(SimLoop& loop, const net::Address& proxy, int id, Rng rng, Expect expect,
                std::size_t value_max)
      : SimClient(loop, proxy, id, rng, expect, value_max) {}

  std::size_t owed() const override { return owed_.size(); }

 private:
  struct Owed {
    enum class Kind { Get, MetaGet, QuietMetaGet, Set, MetaSet, Delete, Noop } kind;
    std::vector<Asked> asked;
    int version = 0;  // of a write
    std::string opaque;
  };

  void send_request() override;
  void send_write(Owed::Kind kind, std::string_view verb);
  void send_get();

  bool check_front() override;
  std::optional<std::string_view> peek_line() const;
  bool check_items(const Owed& owed);
  bool check_meta_get(const Owed& owed);
  bool check_write(const Owed& owed);
  void fail(const Owed& owed, std::string_view line);

  std::deque<Owed> owed_;
};

}  // namespace mcsteady::test
