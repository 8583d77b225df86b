#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "support/scripted_server.h"

namespace mcsteady::test {

/// One client of a ScriptedServer. Owner: the server, which frees it after it has closed, never
/// inside a callback of its stream.
class ScriptedConnection final : public net::Stream::Handler {
 public:
  ScriptedConnection(ScriptedServer& server, net::AcceptedSocket& socket, net::TlsAcceptor* tls);

  bool is_closed() const { return closed_; }
  void send(std::string_view bytes);
  void set_receiving(bool on) { stream_->set_receiving(on); }
  void close();

  // net::Stream::Handler
  std::span<char> room() override { return buffer_; }
  void on_received(std::size_t count) override;
  void on_end_of_file() override { close(); }
  std::size_t pieces(std::span<iovec> out) override;
  void on_sent(std::size_t count) override;
  void on_broken(net::Breakage) override { closed_ = true; }

 private:
  /// A piece of a reply, and when it goes out.
  struct Step {
    TimePoint at;
    std::string bytes;
    ServerAct::End end = ServerAct::End::None;
  };

  bool take_command();
  std::optional<MemcachedCommand> cut_command();
  void refuse(std::size_t size, const std::string& reply);
  void answer(const MemcachedCommand& command);
  void plan(const ServerAct& act, std::string reply);
  void run_steps();
  void end(ServerAct::End how);

  ScriptedServer& server_;
  std::array<char, 16384> buffer_{};
  std::string input_;
  std::string output_;
  std::deque<Step> steps_;
  TimePoint free_at_{};  // replies are in order: none before the one ahead of it
  ServerAct::End end_ = ServerAct::End::None;
  bool hangs_ = false;
  bool closed_ = false;
  std::unique_ptr<net::Timer> timer_;
  std::unique_ptr<net::Stream> stream_;
};

}  // namespace mcsteady::test
