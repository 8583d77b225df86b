#pragma once

#include "mcsteady/base/clock.h"
#include "mcsteady/protocol/sasl.h"
#include "proxy/exchange_factory.h"

namespace mcsteady::proxy {

class ClientConnection;

/// Takes the requests of a client that speaks the binary protocol off its input.
/// Owner: the ClientConnection. Thread: its worker's.
class BinaryFront {
 public:
  BinaryFront(ClientConnection& client, WorkerContext& context)
      : client_(client), context_(context) {}

  /// False: the request at the front of the input is not all here.
  bool take_request(TimePoint now);
  /// The value of the request at the front has come in a block, which has room for a CRLF behind
  /// it.
  void finish_large_body(net::Block block, TimePoint now);

 private:
  void count_limit(protocol::binary::Status status);
  bool take_introduction(const protocol::binary::SaslRequest& said, TimePoint now);
  void attempt(const protocol::binary::SaslRequest& said, TimePoint now);
  bool take_value(const protocol::binary::Parsed& parsed, TimePoint now);
  void refuse(const protocol::binary::Request& request, const protocol::binary::Refusal& refusal,
              TimePoint now);
  void refuse(const protocol::binary::Call& call, const protocol::binary::Refusal& refusal,
              TimePoint now);
  void dispatch(const protocol::binary::Request& request, Body&& body, TimePoint now);
  void answer(const protocol::binary::Reply& reply, TimePoint now);
  void answer_stats(const protocol::binary::Request& request, TimePoint now);
  void ask_versions(const protocol::binary::Request& request, TimePoint now);
  void flush(const protocol::binary::Request& request, TimePoint now);

  ClientConnection& client_;
  WorkerContext& context_;
  bool sasl_begun_ = false;  // the response comes in a step
};

}  // namespace mcsteady::proxy
