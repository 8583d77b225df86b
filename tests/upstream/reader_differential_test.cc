// The recovery reader against a plain blocking reader: random replies over real sockets, on every
// loop, with the kernel misbehaving as it may, cut short at random. Over TLS both ends are OpenSSL,
// and the other one cuts its records at random.
//
//   MCSTEADY_SEED=n        replays a run
//   MCSTEADY_ITERATIONS=n  cases for each loop and kind of socket
//   MCSTEADY_COVERAGE=1    prints how often each kind of thing was drawn

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <tuple>

#include "net/handles.h"
#include "net/libevent_loop.h"
#include "support/test_certificates.h"
#include "support/tls_peer.h"
#include "upstream/connection_fixture.h"
#include "upstream/faulty_calls.h"
#include "upstream/manual_timers.h"
#include "upstream/plain_reader.h"
#include "upstream/reader_cases.h"
#include "upstream/wire.h"

namespace mcsteady::upstream {
namespace {

using net::UniqueFd;

struct SocketPair {
  UniqueFd ours;
  UniqueFd theirs;
};

SocketPair unix_pair() {
  int fds[2] = {-1, -1};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

SocketPair tcp_pair() {
  const UniqueFd listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* address = reinterpret_cast<sockaddr*>(&at);
  socklen_t size = sizeof at;
  EXPECT_EQ(bind(listener.get(), address, size), 0);
  EXPECT_EQ(listen(listener.get(), 1), 0);
  EXPECT_EQ(getsockname(listener.get(), address, &size), 0);
  UniqueFd ours(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(connect(ours.get(), address, size), 0);
  UniqueFd theirs(accept(listener.get(), nullptr, nullptr));
  const int on = 1;  // what is written last does not wait for an acknowledgement
  EXPECT_EQ(setsockopt(theirs.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), 0);
  return {std::move(ours), std::move(theirs)};
}

/// Real sockets and real readiness, in time that the test moves.
class TimelessLoop final : public net::EventLoop {
 public:
  explicit TimelessLoop(const std::string& method)
      : inner_(net::LibeventLoop::make(method, FaultyCalls::calls()).value()) {}

  /// What the next connect() is going to be connected to.
  void offer(UniqueFd socket) { offered_ = std::move(socket); }
  void say_connected() { handler_->on_connected(); }
  void run_turn() {
    inner_->stop();
    inner_->run();
  }
  void advance(Duration by) {
    const TimePoint until = now() + by;
    while (timers_.fire_first(until)) {
    }
    timers_.pass(until - now());
  }

  TimePoint now() const override { return timers_.now(); }
  std::unique_ptr<net::Timer> make_timer(net::TimerCallback callback) override {
    return timers_.make(std::move(callback));
  }
  std::unique_ptr<net::Stream> connect(const net::Address&,
                                       net::Stream::Handler& handler) override {
    handler_ = &handler;
    return inner_->adopt(std::move(offered_), handler);
  }
  Result<std::unique_ptr<net::Listener>, std::string> listen(
      const net::ListenOptions& options, net::Listener::Handler& handler) override {
    return inner_->listen(options, handler);
  }
  void at_turn_end(net::Task& task) override { inner_->at_turn_end(task); }
  void in_next_turn(net::Task& task) override { inner_->in_next_turn(task); }
  void post(std::function<void()> work) override { inner_->post(std::move(work)); }
  void run() override { inner_->run(); }
  void stop() override { inner_->stop(); }

 private:
  ManualTimers timers_;
  UniqueFd offered_;
  net::Stream::Handler* handler_ = nullptr;  // of the last connection
  std::unique_ptr<net::LibeventLoop> inner_;
};

/// Hears like RecordingOwner, but takes every failure for the same.
struct PlainOwner final : RecordingOwner {
  void on_failed(Exchange&, Failure) override { heard.emplace_back("!"); }
};

constexpr Duration kWait = 250ms;

enum class Transport { Unix, Tcp, Tls };

/// What all cases over TLS have in common.
struct TlsWorld {
  TlsWorld() { EXPECT_TRUE(client->load()); }
  std::unique_ptr<test::TlsPeer> draw_server(test::Rng& rng) const {
    const int version = rng.chance(0.5) ? TLS1_3_VERSION : TLS1_2_VERSION;
    return std::make_unique<test::TlsPeer>(
        test::TlsPeer::Options{.own = pair, .maximum_version = version});
  }
  net::TlsClientOptions options() const {
    return {.own = {}, .verify = true, .ca = certificates.ca(), .server_name = "cache.example"};
  }
  test::TestCertificates certificates;
  test::TestCertificates::Pair pair = certificates.issue("cache.example");
  std::shared_ptr<net::TlsClient> client = std::make_shared<net::TlsClient>(options());
};

/// One case: a connection with all its requests sent, and a server that answers as drawn.
class CaseRun {
 public:
  /// `tls`: null where none is spoken.
  CaseRun(TimelessLoop& loop, Transport transport, const TlsWorld* tls, const ReaderCase& drawn,
          test::Rng& rng, Coverage& coverage)
      : loop_(loop), case_(drawn), rng_(rng), coverage_(coverage), owners_(drawn.requests.size()) {
    options_.value_max = ByteCount{drawn.value_max};
    options_.response_timeout = kWait;
    options_.gather_gets = false;  // each request has a reply of its own to compare
    if (tls != nullptr) {
      options_.tls = tls->client;
      peer_ = tls->draw_server(rng);
    }
    SocketPair pair = transport == Transport::Unix ? unix_pair() : tcp_pair();
    theirs_ = std::move(pair.theirs);
    ours_ = UniqueFd(dup(pair.ours.get()));
    fcntl(pair.ours.get(), F_SETFL, O_NONBLOCK);
    fcntl(theirs_.get(), F_SETFL, O_NONBLOCK);
    loop_.offer(std::move(pair.ours));
    FaultyCalls::rng = &rng;
    FaultyCalls::on_receive = [this](std::size_t asked, ssize_t got) { on_receive(asked, got); };
    FaultyCalls::on_poll = [](int timeout_ms) { EXPECT_EQ(timeout_ms, 0); };
    start();
  }
  ~CaseRun() { FaultyCalls::reset(); }
  CaseRun(const CaseRun&) = delete;
  CaseRun& operator=(const CaseRun&) = delete;

  void run() {
    while (written_ < wire_.sent || received_ < written_) {
      if (testing::Test::HasFailure() || is_closed()) break;
      step();
    }
    end();
    connection_.reset();
    for (PlainOwner& owner : owners_) owner.kept.clear();
    EXPECT_EQ(blocks_.in_use(), 0U) << "memory is left";
    EXPECT_EQ(exchanges_.in_use(), 0U);
  }
  void compare(const std::vector<Heard>& expected) const {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      SCOPED_TRACE(testing::Message() << "request " << i);
      const Heard& heard = owners_[i].heard;
      if (handles_[i] == nullptr && case_.requests[i].given_up) {
        // It heard what came until it was given up, and nothing else.
        ASSERT_LE(heard.size(), expected[i].size());
        EXPECT_TRUE(std::equal(heard.begin(), heard.end(), expected[i].begin()));
      } else {
        EXPECT_TRUE(heard == expected[i]) << heard.size() << " and " << expected[i].size();
      }
    }
  }

 private:
  void start();
  void shake_hands();
  void take_what_is_sent();
  void on_receive(std::size_t asked, ssize_t got);
  std::size_t largest_before() const;
  void step();
  void write_piece();
  void wait_runs_out_with_data_there();
  void pause();
  void give_one_up();
  void end();
  void end_in_silence();
  bool is_closed() const { return connection_->state() == Connection::State::Closed; }
  TimePoint wait_end() const { return last_byte_at_ + kWait; }
  int unread() const {
    int count = 0;
    EXPECT_EQ(ioctl(ours_.get(), FIONREAD, &count), 0);
    return count;
  }
  void misbehave(bool on) {
    FaultyCalls::short_receives = on ? 0.3 : 0.0;
    FaultyCalls::interrupts = on ? 0.1 : 0.0;
    FaultyCalls::vain_receives = on ? 0.1 : 0.0;
    FaultyCalls::missed_polls = 0.0;
  }
  std::size_t failures_heard() const {
    return static_cast<std::size_t>(std::ranges::count_if(owners_, [](const PlainOwner& owner) {
      return !owner.heard.empty() && owner.heard.back() == "!";
    }));
  }

  TimelessLoop& loop_;
  const ReaderCase& case_;
  test::Rng& rng_;
  Coverage& coverage_;
  net::MemoryBudget budget_{MiB(64)};
  net::BlockPool blocks_{budget_};
  ExchangePool exchanges_;
  metrics::Histogram loop_lag_;
  StallBeat beat_{loop_, exchanges_, loop_lag_};
  Context context_{loop_, blocks_, exchanges_, beat_};
  ServerOptions options_;
  ServerMetrics metrics_;
  DeadlineList deadlines_;
  RecordingHost host_;
  std::vector<PlainOwner> owners_;
  std::vector<Exchange*> handles_;  // of those that may still be given up; null: it was, or none
  std::optional<Connection> connection_;
  UniqueFd ours_;  // the same socket, to ask the kernel about
  UniqueFd theirs_;
  std::unique_ptr<test::TlsPeer> peer_;  // null: plain
  Wire wire_;
  std::size_t written_ = 0;  // of the wire
  std::size_t received_ = 0;
  TimePoint last_byte_at_{};
};

void CaseRun::start() {
  connection_.emplace(options_, context_, metrics_, deadlines_,
                      static_cast<ConnectionHost&>(host_));
  connection_->open(net::Address{});
  loop_.say_connected();
  if (peer_) shake_hands();
  wire_ = peer_ ? Wire::sealed(case_, *peer_, rng_, coverage_) : Wire::plain(case_);
  for (std::size_t i = 0; i < case_.requests.size(); ++i) {
    const ReaderCase::Request& request = case_.requests[i];
    ExchangePtr exchange = exchanges_.make();
    exchange->owner = &owners_[i];
    exchange->shape = request.shape;
    exchange->head = blocks_.allocate_always(request.command.size());
    exchange->head_size = request.command.size();
    std::memcpy(exchange->head.data(), request.command.data(), request.command.size());
    handles_.push_back(request.given_up ? exchange.get() : nullptr);
    connection_->submit(std::move(exchange));
  }
  misbehave(false);
  loop_.run_turn();
  last_byte_at_ = loop_.now();
}

void CaseRun::shake_hands() {
  for (bool over = false; !over || connection_->state() != Connection::State::Open;) {
    loop_.run_turn();
    take_what_is_sent();
    over = peer_->shake_hands();
    const std::string said = peer_->give();
    if (!said.empty()) {
      ASSERT_EQ(send(theirs_.get(), said.data(), said.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(said.size()));
    }
  }
  while (unread() > 0) loop_.run_turn();  // tickets
  received_ = 0;
}

/// A socket that is closed with something unread says nothing but that.
void CaseRun::take_what_is_sent() {
  std::array<char, 4096> part;
  while (true) {
    const ssize_t got = recv(theirs_.get(), part.data(), part.size(), MSG_DONTWAIT);
    if (got <= 0) return;
    peer_->take({part.data(), static_cast<std::size_t>(got)});
  }
}

/// With its line, of the values that have come whole.
std::size_t CaseRun::largest_before() const {
  std::size_t largest = 0;
  for (const ValuePlace& value : case_.values) {
    if (value.end <= received_) largest = std::max(largest, value.end - value.begin);
  }
  return largest;
}

/// No read may ask for more than is owed of a large value. What is small goes through the buffer.
void CaseRun::on_receive(std::size_t asked, ssize_t got) {
  const auto place = peer_ != nullptr
                         ? case_.values.end()
                         : std::ranges::find_if(case_.values, [&](const ValuePlace& value) {
                             return value.body_begin <= received_ && received_ < value.end;
                           });
  const std::size_t owed = place == case_.values.end() ? 0 : place->end - received_;
  if (owed >= RecoveryReader::kLargeMin) {
    EXPECT_LE(asked, owed) << "reads past a value";
    ++coverage_["read straight into a value"];
  } else {
    EXPECT_LE(asked, std::max<std::size_t>(65536, largest_before() + 400));
  }
  if (got <= 0) return;
  received_ += static_cast<std::size_t>(got);
  last_byte_at_ = loop_.now();  // half a record, too
  if (static_cast<std::size_t>(got) < asked) ++coverage_["short read"];
}

void CaseRun::step() {
  const std::uint64_t choice = rng_.below(20);
  if (choice < 9) {
    write_piece();
  } else if (choice < 16) {
    misbehave(true);
    loop_.run_turn();
  } else if (choice < 18) {
    wait_runs_out_with_data_there();
  } else if (choice < 19) {
    pause();
  } else {
    give_one_up();
  }
}

void CaseRun::write_piece() {
  const std::size_t piece = std::min(wire_.sent - written_, rng_.between(1, case_.piece_max));
  if (piece == 0) return;
  const ssize_t sent =
      send(theirs_.get(), wire_.bytes.data() + written_, piece, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent > 0) written_ += static_cast<std::size_t>(sent);
}

/// The loop is held and comes back to a timer that is due: the look must bring what is there.
void CaseRun::wait_runs_out_with_data_there() {
  if (unread() == 0) return;
  misbehave(false);
  FaultyCalls::missed_polls = 0.5;
  const std::size_t before = received_;
  const std::uint64_t recovered = metrics_.timeouts_recovered.value();
  loop_.advance(wait_end() - loop_.now());
  EXPECT_GT(received_, before) << "a wait ran out, and nobody looked";
  EXPECT_EQ(metrics_.timeouts_recovered.value(), recovered + 1);
  ++coverage_["wait ran out with data there"];
}

void CaseRun::pause() {
  const Duration left = wait_end() - loop_.now();
  if (left <= 1ns) return;
  loop_.advance(rng_.between(1ns, left - 1ns));
  ++coverage_["pause shorter than the timeout"];
}

void CaseRun::give_one_up() {
  const std::size_t i = rng_.below(handles_.size());
  const bool is_over = !owners_[i].heard.empty() && (owners_[i].heard.back() == "!" ||
                                                     owners_[i].heard.back().starts_with("END") ||
                                                     !owners_[i].heard.back().starts_with("VALUE"));
  if (handles_[i] == nullptr || is_over) return;
  std::exchange(handles_[i], nullptr)->give_up();
  ++coverage_["given up"];
}

void CaseRun::end() {
  misbehave(false);
  if (case_.ending == ReaderCase::Ending::Stalled) return end_in_silence();
  if (case_.ending == ReaderCase::Ending::Closed) {
    if (peer_) take_what_is_sent();
    const std::string& last = wire_.last_words;
    if (!last.empty()) send(theirs_.get(), last.data(), last.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    theirs_.reset();
    for (int turn = 0; turn < 100 && !is_closed(); ++turn) loop_.run_turn();
    EXPECT_TRUE(is_closed());
    return;
  }
  EXPECT_EQ(connection_->owed(), 0U);
  EXPECT_EQ(connection_->state(), Connection::State::Open);
  EXPECT_TRUE(host_.incidents.empty());
}

void CaseRun::end_in_silence() {
  const std::size_t failed = failures_heard();
  const std::size_t owed = connection_->owed();
  loop_.advance(wait_end() - loop_.now() - 1ns);
  EXPECT_EQ(failures_heard(), failed) << "failed before its wait was over";
  EXPECT_EQ(connection_->state(), Connection::State::Open);
  loop_.advance(1ns);
  EXPECT_EQ(host_.incidents.size(), 1U) << "did not fail one timeout after the last byte";
  EXPECT_EQ(connection_->state(), Connection::State::Retired);
  EXPECT_EQ(connection_->owed(), owed);

  // The rest comes late, is dropped, and reaches nobody.
  while (written_ < wire_.bytes.size() && !is_closed()) {
    const ssize_t sent = send(theirs_.get(), wire_.bytes.data() + written_,
                              wire_.bytes.size() - written_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) written_ += static_cast<std::size_t>(sent);
    loop_.run_turn();
  }
  for (int turn = 0; turn < 1000 && !is_closed(); ++turn) loop_.run_turn();
  EXPECT_TRUE(is_closed());
  EXPECT_EQ(metrics_.late_replies_dropped.value(), owed);
}

std::vector<Heard> read_plainly(const ReaderCase& drawn) {
  SocketPair pair = unix_pair();
  const std::jthread writer([&drawn, &pair] {
    const int fd = pair.theirs.get();
    for (std::size_t at = 0; at < drawn.sent;) {
      const ssize_t sent = send(fd, drawn.bytes.data() + at, drawn.sent - at, MSG_NOSIGNAL);
      if (sent <= 0) break;
      at += static_cast<std::size_t>(sent);
    }
    pair.theirs.reset();
  });
  PlainReader reader(dup(pair.ours.get()));
  std::vector<Heard> heard;
  for (const auto& request : drawn.requests) {
    heard.push_back(reader.read_reply(request.shape, drawn.value_max));
  }
  return heard;
}

std::size_t iterations() {
  const char* given = std::getenv("MCSTEADY_ITERATIONS");  // NOLINT(concurrency-mt-unsafe)
  return given == nullptr ? 60 : std::strtoull(given, nullptr, 10);
}

void print(const Coverage& coverage) {
  if (std::getenv("MCSTEADY_COVERAGE") == nullptr) return;  // NOLINT(concurrency-mt-unsafe)
  for (const auto& [what, count] : coverage) std::printf("%8zu  %s\n", count, what.c_str());
}

class ReaderDifferentialTest : public testing::TestWithParam<std::tuple<const char*, Transport>> {};

TEST_P(ReaderDifferentialTest, TellsWhatAPlainBlockingReaderTells) {
  const auto [method, transport] = GetParam();
  const std::uint64_t seed = test::seed_or(20'240'607);
  SCOPED_TRACE(test::replay_hint(seed));
  test::Rng rng(seed);
  TimelessLoop loop(method);
  Coverage coverage;
  std::optional<TlsWorld> tls;
  if (transport == Transport::Tls) tls.emplace();
  for (std::size_t i = 0; i < iterations() && !HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    test::Rng own = rng.fork();
    const ReaderCase drawn = ReaderCase::draw(own, coverage);

    CaseRun run(loop, transport, tls ? &*tls : nullptr, drawn, own, coverage);
    run.run();

    run.compare(read_plainly(drawn));
  }
  print(coverage);
}

std::string name_of(Transport transport) {
  switch (transport) {
    case Transport::Unix:
      return "unix";
    case Transport::Tcp:
      return "tcp";
    case Transport::Tls:
      return "tls";
  }
  return {};
}

INSTANTIATE_TEST_SUITE_P(LoopsAndSockets, ReaderDifferentialTest,
                         testing::Combine(testing::Values("epoll", "poll", "select"),
                                          testing::Values(Transport::Unix, Transport::Tcp,
                                                          Transport::Tls)),
                         [](const auto& instance) {
                           return std::string(std::get<0>(instance.param)) + "_" +
                                  name_of(std::get<1>(instance.param));
                         });

}  // namespace
}  // namespace mcsteady::upstream
