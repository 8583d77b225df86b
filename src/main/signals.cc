#include "main/signals.h"

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <utility>

namespace mcsteady {

Signals::Signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  // A peer that hangs up is an error of its socket, not the end of us.
  std::signal(SIGPIPE, SIG_IGN);
  signal_fd_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

Signals::~Signals() {
  watch_.reset();
  close(signal_fd_);
}

void Signals::start(net::EventLoop& loop, std::function<void(Event)> on_signal) {
  on_signal_ = std::move(on_signal);
  watch_ = loop.watch(signal_fd_, {.to_read = true, .to_write = false},
                      [this](net::Ready) { read_one(); });
}

void Signals::read_one() {
  signalfd_siginfo info;
  if (read(signal_fd_, &info, sizeof info) != sizeof info) return;
  on_signal_(info.ssi_signo == SIGHUP ? Event::Reopen : Event::Stop);
}

}  // namespace mcsteady
