#include "proxy/reply_slot.h"

#include "proxy/client_connection.h"

namespace mcsteady::proxy {

void ReplySlot::write(std::string_view bytes) {
  if (!bytes.empty()) client_->write(*this, bytes);
}

void ReplySlot::write(net::Block block, std::size_t begin, std::size_t end) {
  client_->write(*this, std::move(block), begin, end);
}

void ReplySlot::finish() {
  done_ = true;
  client_->on_done(*this);
}

}  // namespace mcsteady::proxy
