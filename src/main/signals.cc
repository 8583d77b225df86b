#include "main/signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>

namespace mcsteady {

Signals::Signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  // A peer that hangs up is an error of its socket, not the end of us.
  std::signal(SIGPIPE, SIG_IGN);
  signal_fd_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  wake_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

Signals::~Signals() {
  close(signal_fd_);
  close(wake_fd_);
}

Signals::Event Signals::wait(Duration at_most) {
  pollfd fds[] = {{signal_fd_, POLLIN, 0}, {wake_fd_, POLLIN, 0}};
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(at_most).count();
  if (poll(fds, 2, static_cast<int>(milliseconds)) <= 0) return Event::Timeout;
  signalfd_siginfo info;
  if (read(signal_fd_, &info, sizeof info) == sizeof info) {
    return info.ssi_signo == SIGHUP ? Event::Reopen : Event::Stop;
  }
  std::uint64_t count = 0;
  return read(wake_fd_, &count, sizeof count) == sizeof count ? Event::Wake : Event::Timeout;
}

void Signals::wake() {
  const std::uint64_t one = 1;
  // The counter cannot overflow before it is read, so this cannot fail.
  [[maybe_unused]] const ssize_t written = write(wake_fd_, &one, sizeof one);
}

}  // namespace mcsteady
