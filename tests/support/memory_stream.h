#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcsteady/net/stream.h"

namespace mcsteady::test {

/// A stream without a loop or a peer, for tests of one object: the test says what arrives and when
/// it is noticed, and sees what was sent. Borrows its handler.
class MemoryStream final : public net::Stream {
 public:
  explicit MemoryStream(Handler& handler) : handler_(handler) {}
  ~MemoryStream() override = default;

  // net::Stream
  void set_receiving(bool on) override { receiving_ = on; }
  void flush() override { flush_asked_ = true; }
  Found look() override;
  net::TransportEvidence evidence() const override;
  void close() override { closed_ = true; }

  // What the peer does. Nothing is noticed before look() or notice().
  void arrives(std::string_view bytes) { unread_.append(bytes); }
  void ends() { ended_ = true; }
  void breaks(net::Breakage breakage) { breakage_ = breakage; }
  /// The loop calls it readable: receives until a receive comes back short, as a stream does.
  Found notice();
  // The two steps in one.
  void push(std::string_view bytes);
  void push_end_of_file();
  void push_breakage(net::Breakage breakage);
  /// The outgoing connection is there.
  void connects() { handler_.on_connected(); }

  // What the object under test does.
  /// The turn ends: takes up to `limit` bytes of what is to be sent, if flush() asked for that, and
  /// asks again next time where not all went out. Returns how many.
  std::size_t send_flushed(std::size_t limit = SIZE_MAX);
  /// All that was sent, or all since the last take_sent().
  const std::string& sent() const { return sent_; }
  std::string take_sent();
  bool flush_asked() const { return flush_asked_; }
  bool receiving() const { return receiving_; }
  bool closed() const { return closed_; }
  std::size_t unread() const { return unread_.size(); }

  // What would have been asked of the kernel.
  std::size_t receives() const { return rooms_.size(); }
  std::size_t sends() const { return sends_; }
  std::size_t polls() const { return polls_; }
  const std::vector<std::size_t>& rooms() const { return rooms_; }  // each room asked, in bytes
  void miss_polls(int count) { polls_to_miss_ = count; }
  int polls_missed() const { return polls_missed_; }
  void set_evidence(const net::TransportEvidence& evidence) { evidence_ = evidence; }

 private:
  Found receive(int receives_max);
  std::size_t receive_once(std::size_t& asked);
  Found receive_end();

  Handler& handler_;
  std::string unread_;
  std::string sent_;
  std::vector<std::size_t> rooms_;
  std::size_t sends_ = 0;
  std::size_t polls_ = 0;
  int polls_to_miss_ = 0;
  int polls_missed_ = 0;
  std::optional<net::Breakage> breakage_;
  std::optional<net::TransportEvidence> evidence_;
  bool ended_ = false;
  bool end_reported_ = false;
  bool receiving_ = true;
  bool flush_asked_ = false;
  bool closed_ = false;
};

}  // namespace mcsteady::test
