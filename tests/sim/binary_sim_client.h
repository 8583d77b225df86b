#pragma once

#include <deque>
#include <string_view>

#include "sim/sim_client.h"
#include "support/binary_packets.h"

namespace mcsteady::test {

/// One that speaks the binary protocol, quietly and not.
class BinarySimClient final : public SimClient {
 public:
  BinarySimClient(SimLoop& loop, const net::Address& proxy, int id, Rng rng, Expect expect,
                  std::size_t value_max)
      : SimClient(loop, proxy, id, rng, expect, value_max) {}

  std::size_t owed() const override { return owed_.size(); }

 private:
  struct Owed {
    Opcode opcode;
    std::uint32_t opaque;
    Asked asked{};    // of a noop: nothing
    int version = 0;  // of a set
  };

  void send_request() override;
  void end_batch() override;
  void send(BinaryRequest request, const Asked& asked, int version = 0);

  bool check_front() override;
  void check_silence(const Owed& owed);
  void check_reply(const Owed& owed, const BinaryReply& reply);
  void check_hit(const Owed& owed, const BinaryReply& reply);
  static bool is_quiet(Opcode opcode);

  std::deque<Owed> owed_;
  std::uint32_t last_opaque_ = 0;
};

}  // namespace mcsteady::test
