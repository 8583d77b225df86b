#include "main/signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

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
  close(signal_fd_);
}

Signals::Event Signals::wait(Duration at_most) {
  pollfd fd = {signal_fd_, POLLIN, 0};
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(at_most).count();
  if (poll(&fd, 1, static_cast<int>(milliseconds)) <= 0) return Event::Timeout;
  signalfd_siginfo info;
  if (read(signal_fd_, &info, sizeof info) != sizeof info) return Event::Timeout;
  return info.ssi_signo == SIGHUP ? Event::Reopen : Event::Stop;
}

}  // namespace mcsteady
