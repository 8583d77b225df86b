#include "bench/load_client.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace mcsteady::bench {
namespace {
constexpr std::size_t kPiecesMax = 512;  // of one call; the kernel takes 1,024
}

LoadClient::LoadClient(Fd socket, const Items& items, std::uint64_t compare_every,
                       CheckCounts& counts)
    : socket_(std::move(socket)), items_(items), check_(items, compare_every, counts) {}

void LoadClient::add_piece(std::string_view piece) {
  unsent_.push_back({const_cast<char*>(piece.data()), piece.size()});
}

void LoadClient::add_get(std::size_t first_key, TimePoint due) {
  add_piece(items_.get_command(first_key));
  in_flight_.push_back(due);
}

void LoadClient::add_set(std::size_t key, TimePoint due) {
  add_piece(items_.set_command(key));
  if (items_.options().value_size > 0) add_piece(items_.value(key));
  add_piece("\r\n");
  in_flight_.push_back(due);
}

bool LoadClient::send() {
  while (has_unsent()) {
    msghdr message{};
    message.msg_iov = unsent_.data() + first_unsent_;
    message.msg_iovlen = std::min(unsent_.size() - first_unsent_, kPiecesMax);
    const ssize_t result = sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
    if (result < 0 && errno == EAGAIN) return false;
    if (result < 0) fail_with_errno("send");
    std::size_t sent = static_cast<std::size_t>(result);
    while (sent > 0) {
      iovec& piece = unsent_[first_unsent_];
      const std::size_t taken = std::min(sent, piece.iov_len);
      piece = {static_cast<char*>(piece.iov_base) + taken, piece.iov_len - taken};
      sent -= taken;
      if (piece.iov_len == 0) ++first_unsent_;
    }
  }
  unsent_.clear();
  first_unsent_ = 0;
  return true;
}

bool LoadClient::receive(std::span<char> buffer, std::vector<TimePoint>& ended) {
  const ssize_t result = recv(socket_.get(), buffer.data(), buffer.size(), 0);
  if (result < 0 && errno == EAGAIN) return false;
  if (result < 0) fail_with_errno("receive");
  if (result == 0) fail("the connection was closed in the middle of the load");
  std::string_view input(buffer.data(), static_cast<std::size_t>(result));
  while (check_.take_operation(input)) {
    if (in_flight_.empty()) fail("a reply came that nobody asked for");
    ended.push_back(in_flight_.front());
    in_flight_.pop_front();
  }
  return static_cast<std::size_t>(result) == buffer.size();
}

}  // namespace mcsteady::bench
