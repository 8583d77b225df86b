#include "net/socket_listener.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "net/loop_fixture.h"
#include "net/recording_handler.h"

namespace mcsteady::net {
namespace {

struct Accepting : Listener::Handler {
  std::vector<std::unique_ptr<AcceptedSocket>> sockets;
  std::function<void()> in_callback;
  void on_accepted(std::unique_ptr<AcceptedSocket> socket) override {
    sockets.push_back(std::move(socket));
    if (in_callback) in_callback();
  }
};

/// A folder of its own for socket files, which goes with the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "mcsteady-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

class SocketListenerTest : public LoopTest {
 protected:
  static ListenOptions on(const std::string& endpoint) {
    ListenOptions options;
    options.endpoint = parse_endpoint(endpoint).value();
    return options;
  }
  std::unique_ptr<Listener> listen(const ListenOptions& options) {
    auto listener = loop_->listen(options, accepting_);
    if (!listener) {
      ADD_FAILURE() << listener.error();
      return nullptr;
    }
    return std::move(*listener);
  }
  std::string refusal(const ListenOptions& options) {
    auto listener = loop_->listen(options, accepting_);
    return listener ? "none" : listener.error();
  }
  /// A plain client; not ok where nobody listens.
  static UniqueFd client(const Endpoint& endpoint) {
    const Address to = resolve_blocking(endpoint).value();
    UniqueFd fd(socket(to.family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(fd.get(), reinterpret_cast<const sockaddr*>(to.storage), to.size) != 0) fd.reset();
    return fd;
  }

  Folder folder_;
  Accepting accepting_;
};
FOR_EACH_METHOD(SocketListenerTest);

TEST_P(SocketListenerTest, NamesThePortThatTheKernelPicked) {
  const auto listener = listen(on("127.0.0.1:0"));

  EXPECT_EQ(listener->endpoint().host, "127.0.0.1");
  EXPECT_NE(listener->endpoint().port, 0);
  EXPECT_TRUE(client(listener->endpoint()));
}

TEST_P(SocketListenerTest, ListensUnderAHostName) {
  const auto listener = listen(on("localhost:0"));

  EXPECT_TRUE(client(listener->endpoint()));
}

TEST_P(SocketListenerTest, AcceptsAllConnectionsOfATurn) {
  const auto listener = listen(on("127.0.0.1:0"));
  std::vector<UniqueFd> clients;
  for (int i = 0; i < 10; ++i) clients.push_back(client(listener->endpoint()));

  run_turn();

  EXPECT_EQ(accepting_.sockets.size(), 10U);
}

TEST_P(SocketListenerTest, GivesWayAfterABudgetOfConnections) {
  const auto listener = listen(on(folder_.file("m.sock")));
  std::vector<UniqueFd> clients;
  for (int i = 0; i < 100; ++i) clients.push_back(client(listener->endpoint()));

  run_turn();
  EXPECT_EQ(accepting_.sockets.size(), 64U);
  run_turn();
  EXPECT_EQ(accepting_.sockets.size(), 100U);
}

TEST_P(SocketListenerTest, MakesSilentConnectionsThatTalkOnceTheyAreStarted) {
  const auto listener = listen(on("127.0.0.1:0"));
  const UniqueFd peer = client(listener->endpoint());
  ASSERT_EQ(send(peer.get(), "get a\r\n", 7, 0), 7);
  run_until([&] { return accepting_.sockets.size() == 1; });
  RecordingHandler handler;

  const auto stream = accepting_.sockets[0]->start(handler);
  run_until([&] { return handler.received == "get a\r\n"; });

  EXPECT_FALSE(handler.was_called("connected"));
}

TEST_P(SocketListenerTest, ClosesAConnectionThatNobodyStarts) {
  const auto listener = listen(on("127.0.0.1:0"));
  const UniqueFd peer = client(listener->endpoint());
  run_until([&] { return accepting_.sockets.size() == 1; });

  accepting_.sockets.clear();

  char byte = 0;
  EXPECT_EQ(recv(peer.get(), &byte, 1, 0), 0);
}

TEST_P(SocketListenerTest, LeavesConnectionsInTheBacklogWhileItDoesNotAccept) {
  const auto listener = listen(on("127.0.0.1:0"));
  listener->set_accepting(false);
  const UniqueFd peer = client(listener->endpoint());
  run_turn();
  EXPECT_TRUE(peer);
  EXPECT_TRUE(accepting_.sockets.empty());

  listener->set_accepting(true);
  run_turn();

  EXPECT_EQ(accepting_.sockets.size(), 1U);
}

TEST_P(SocketListenerTest, StopsAcceptingInTheMiddleOfATurn) {
  const auto listener = listen(on("127.0.0.1:0"));
  accepting_.in_callback = [&] { listener->set_accepting(false); };
  const UniqueFd first = client(listener->endpoint());
  const UniqueFd second = client(listener->endpoint());

  run_turn();
  run_turn();

  EXPECT_EQ(accepting_.sockets.size(), 1U);
}

TEST_P(SocketListenerTest, StopsListeningWhenItEnds) {
  auto listener = listen(on("127.0.0.1:0"));
  const Endpoint endpoint = listener->endpoint();

  listener.reset();

  EXPECT_FALSE(client(endpoint));
}

TEST_P(SocketListenerTest, SaysThatAnAddressIsInUse) {
  const auto listener = listen(on("127.0.0.1:0"));
  const std::string text = listener->endpoint().text();

  EXPECT_EQ(refusal(on(text)), "cannot listen on " + text + ": address in use");
}

TEST_P(SocketListenerTest, SharesAPortWithOthersThatShareIt) {
  ListenOptions options = on("127.0.0.1:0");
  options.share_port = true;
  const auto first = listen(options);
  options.endpoint = first->endpoint();

  const auto second = listen(options);

  EXPECT_EQ(second->endpoint(), first->endpoint());
}

TEST_P(SocketListenerTest, ListensOnBothFamiliesSideBySide) {
  const auto four = listen(on("0.0.0.0:0"));
  const UniqueFd six(socket(AF_INET6, SOCK_STREAM, 0));
  if (!six) GTEST_SKIP() << "no IPv6 here";

  EXPECT_NE(listen(on("[::]:" + std::to_string(four->endpoint().port))), nullptr);
}

TEST_P(SocketListenerTest, RestsInsteadOfSpinningWhenDescriptorsRunOut) {
  const auto listener = listen(on("127.0.0.1:0"));
  const UniqueFd peer = client(listener->endpoint());
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  rlimit none = limit;
  // The lowest that is free: the next would be that one. (poll refuses to work under a limit of 0.)
  none.rlim_cur = static_cast<rlim_t>(UniqueFd(dup(0)).get());
  const TimePoint start = loop_->now();
  const auto timer = loop_->make_timer([&](TimePoint) { loop_->stop(); });
  timer->set(start + std::chrono::milliseconds(20));

  setrlimit(RLIMIT_NOFILE, &none);
  loop_->run();
  setrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_TRUE(accepting_.sockets.empty());
  accepting_.in_callback = [&] { loop_->stop(); };
  loop_->run();

  EXPECT_EQ(accepting_.sockets.size(), 1U);
  EXPECT_GE(loop_->now() - start, std::chrono::milliseconds(100));
}

TEST_P(SocketListenerTest, ListensOnAUnixSocketWithItsPermissions) {
  ListenOptions options = on(folder_.file("m.sock"));
  options.unix_mode = 0606;

  const auto listener = listen(options);

  struct stat status{};
  ASSERT_EQ(stat(options.endpoint.unix_path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0606U);
  EXPECT_TRUE(client(listener->endpoint()));
}

TEST_P(SocketListenerTest, ListensInTheAbstractNamespace) {
  const auto listener = listen(on("unix:@mcsteady-test-" + std::to_string(getpid())));

  EXPECT_TRUE(client(listener->endpoint()));
}

TEST_P(SocketListenerTest, RemovesTheSocketFileWhenItEnds) {
  auto listener = listen(on(folder_.file("m.sock")));
  ASSERT_TRUE(std::filesystem::exists(folder_.file("m.sock")));

  listener.reset();

  EXPECT_FALSE(std::filesystem::exists(folder_.file("m.sock")));
}

TEST_P(SocketListenerTest, LeavesAFileThatIsNoLongerItsOwn) {
  auto listener = listen(on(folder_.file("m.sock")));
  std::filesystem::rename(folder_.file("m.sock"), folder_.file("old.sock"));
  std::ofstream(folder_.file("m.sock")) << "another's";

  listener.reset();

  EXPECT_TRUE(std::filesystem::exists(folder_.file("m.sock")));
}

TEST_P(SocketListenerTest, TakesThePlaceOfASocketThatNobodyListensOn) {
  const std::string path = folder_.file("m.sock");
  {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    path.copy(name.sun_path, sizeof name.sun_path - 1);
    const UniqueFd killed(socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(bind(killed.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  }
  ASSERT_TRUE(std::filesystem::exists(path));

  const auto listener = listen(on(path));

  ASSERT_NE(listener, nullptr);
  EXPECT_TRUE(client(listener->endpoint()));
}

TEST_P(SocketListenerTest, LeavesALiveUnixSocketAlone) {
  const auto listener = listen(on(folder_.file("m.sock")));

  EXPECT_EQ(refusal(on(folder_.file("m.sock"))),
            "cannot listen on " + folder_.file("m.sock") + ": address in use");
  EXPECT_TRUE(client(listener->endpoint()));
}

TEST_P(SocketListenerTest, LeavesAFileThatIsNoSocketAlone) {
  std::ofstream(folder_.file("notes.txt")) << "precious";

  EXPECT_NE(refusal(on(folder_.file("notes.txt"))), "none");
  EXPECT_EQ(std::filesystem::file_size(folder_.file("notes.txt")), 8U);
}

TEST_P(SocketListenerTest, RefusesToShareAUnixSocket) {
  ListenOptions options = on(folder_.file("m.sock"));
  options.share_port = true;

  EXPECT_NE(refusal(options).find("a unix socket has one listener"), std::string::npos);
}

TEST_P(SocketListenerTest, SaysWhyItCannotListen) {
  const std::string path = folder_.file("missing/m.sock");

  EXPECT_EQ(refusal(on(path)), "cannot listen on " + path + ": No such file or directory");
}

TEST_P(SocketListenerTest, KnowsWhoConnectsToAUnixSocketAndNotWhoDoesOverTcp) {
  const auto unix_listener = listen(on("unix:" + folder_.file("s")));
  const auto tcp_listener = listen(on("127.0.0.1:0"));
  const UniqueFd over_unix = client(unix_listener->endpoint());
  run_until([&] { return accepting_.sockets.size() == 1; });
  const UniqueFd over_tcp = client(tcp_listener->endpoint());
  run_until([&] { return accepting_.sockets.size() == 2; });

  const auto peer = accepting_.sockets[0]->peer();
  ASSERT_TRUE(peer);
  EXPECT_EQ(peer->uid, geteuid());
  EXPECT_EQ(peer->gid, getegid());
  EXPECT_EQ(peer->groups.size(), static_cast<std::size_t>(getgroups(0, nullptr)));
  EXPECT_FALSE(accepting_.sockets[1]->peer());
}

}  // namespace
}  // namespace mcsteady::net
