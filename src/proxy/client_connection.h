#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "mcsteady/net/event_loop.h"
#include "proxy/binary_front.h"
#include "proxy/exchange_factory.h"
#include "proxy/gate.h"
#include "proxy/input_buffer.h"
#include "proxy/reply_slot.h"
#include "proxy/worker_context.h"

namespace mcsteady::proxy {

/// One client's connection, from accept to close: cuts requests off its input, gives each a place
/// in the reply order, and writes replies out in that order.
///
/// It holds its own buffers and nothing else. It is not read while what it has not taken of its
/// replies is over the high-water mark, or while more requests are under way than are likely to
/// fit below that.
///
/// Owner: Worker. close() drops its output and tells the worker, which destroys it when the turn is
/// over, never under its own callback. Thread: its worker's.
class ClientConnection final : private net::Stream::Handler {
 public:
  class Host {
   public:
    virtual ~Host() = default;
    virtual void on_client_closed(ClientConnection& client, CloseCause cause) = 0;
  };

  /// `lane`: its requests go to each server by the connection of that number, and stay in order.
  ClientConnection(WorkerContext& context, Host& host, std::size_t lane);
  ~ClientConnection() override;
  ClientConnection(const ClientConnection&) = delete;
  ClientConnection& operator=(const ClientConnection&) = delete;

  /// `authenticator`: whom to ask before the client is served; null: it need not say who it is.
  void start(net::AcceptedSocket& socket, Authenticator* authenticator, net::TlsAcceptor* tls);
  /// Answers with `line` and closes: for a client that cannot be served at all.
  void turn_away(std::string_view line, CloseCause cause);
  /// The same at once, as far as the socket takes the line: no descriptor is held any longer.
  void refuse(std::string_view line, CloseCause cause);
  void close(CloseCause cause);
  /// Answers what has been asked, then closes.
  void drain();

  /// By when the client must have gone on, and what it is closed for if it has not. None: it may
  /// take its time.
  struct Deadline {
    TimePoint at;
    CloseCause cause;
  };
  std::optional<Deadline> deadline() const;
  void expire(CloseCause cause);

  // for the slots of its requests
  TimePoint now() const { return context_.loop.now(); }
  std::size_t lane() const { return lane_; }
  /// Takes note of the last slot's request. Whether one before it may write and is not answered
  /// yet.
  bool note_order(protocol::Verb verb);
  void write(ReplySlot& slot, std::string_view bytes);
  void write(ReplySlot& slot, net::Block block, std::size_t begin, std::size_t end);
  void on_done(ReplySlot& slot);
  /// Bytes of its replies that a slot keeps until their turn.
  void hold(std::size_t bytes) { held_ += bytes; }
  void release(std::size_t bytes) { held_ -= bytes; }
  /// Bytes of its request that a slot keeps until that is over.
  void hold_request(std::size_t bytes) { requests_held_ += bytes; }
  void release_request(std::size_t bytes) { requests_held_ -= bytes; }
  bool has_room() const { return !closed_ && held_ < high_water(); }
  /// How many items may be asked for, so that they are likely to fit below the high-water mark.
  std::size_t portion_max() const;
  void learn_item_size(std::size_t size);

  // for the front of its dialect
  Gate* gate() { return gate_.get(); }  // null: the client need not say who it is
  std::string_view input() const { return input_.view(); }
  void consume(std::size_t count) { input_.consume(count); }
  /// Sees that more can be received though a request's head fills the whole buffer.
  void wait_for_more();
  /// A body that does not fit into the buffer gets a block in which it is received in place, while
  /// the `head_size` bytes before it wait in the input. `capacity`: of the block, which may be more
  /// than the body. False: no memory.
  bool begin_large_body(std::size_t head_size, std::size_t body_size, std::size_t capacity);
  /// Drops the next bytes of the input.
  void swallow(std::size_t count) { swallow_ = count; }
  template <class Slot>
  Slot& append(Slot& slot);
  /// A reply of ours, behind all that is asked for before it.
  void answer(std::string_view text, TimePoint now);
  /// Takes no more requests, and closes when those taken are answered.
  void end_with(CloseCause cause);

  // for the worker
  std::size_t held() const {  // bytes of memory: of a block of which most has gone, all of it
    return held_ - output_.size() + output_.memory() + requests_held_ + (body_ ? body_->size : 0) +
           (input_.empty() ? 0 : input_.memory());
  }
  bool holds_memory() const { return held() > 0 || body_ || !input_.empty(); }
  bool is_busy() const { return busy_ > 0; }  // in the middle of using its buffers
  /// False once for each call in a row without a byte taken or given since.
  bool made_progress() { return std::exchange(progress_, false); }
  std::size_t index = 0;  // in the worker's list

 private:
  struct LargeBody {
    net::Block block;
    std::size_t size, filled;
  };
  enum class Dialect : std::uint8_t { Unknown, Text, Binary };
  /// Goes on with the input in the next turn.
  struct Resume final : net::Task {
    explicit Resume(ClientConnection& c) : client(c) {}
    void run() override { client.process(); }
    ClientConnection& client;
  };

  // net::Stream::Handler
  std::span<char> room() override;
  void on_received(std::size_t count) override;
  void on_end_of_file() override;
  std::size_t pieces(std::span<iovec> out) override { return output_.gather(out); }
  void on_sent(std::size_t count) override;
  void on_broken(net::Breakage breakage) override;

  void process();
  bool take_requests();
  bool take_request(TimePoint now);
  bool take_text_request(TimePoint now);
  bool take_introduction(TimePoint now);
  bool take_storage(const protocol::Parsed& parsed, TimePoint now);
  void finish_large_body();
  void finish_text_body(LargeBody&& body);
  void refuse(const protocol::Refusal& refusal, TimePoint now);
  void refuse(const protocol::Request& request, const protocol::Refusal& refusal, TimePoint now);
  void refuse_body(const protocol::Request& request, protocol::Refusal refusal);
  void dispatch(const protocol::Request& request, Body&& body, TimePoint now);

  bool may_take_request() const;
  void count_limit(const protocol::Parsed& parsed);
  bool is_much_here() const;
  void stop_reading();  // until process() has taken all that is here
  void note_pause();    // the client is behind with reading
  void resume_soon();
  void close_if_done();
  std::size_t high_water() const { return context_.options.output_high_water.value; }

  WorkerContext& context_;
  Host& host_;
  const std::size_t lane_;
  Dialect dialect_ = Dialect::Unknown;  // by its first byte, for life, as memcached does it
  BinaryFront binary_front_{*this, context_};
  InputBuffer input_;
  std::optional<LargeBody> body_;
  std::size_t swallow_ = 0;     // bytes of a refused body still to come
  ReplySlot* first_ = nullptr;  // the reply order
  ReplySlot* last_ = nullptr;
  std::size_t in_flight_ = 0;                // slots in it
  std::uint64_t appended_ = 0;               // slots that ever were
  std::uint64_t last_write_ = 0;             // the number of the last one that may write
  class RetrievalSlot* unissued_ = nullptr;  // the last slot, while it has keys to ask for
  net::Chain output_;
  std::size_t held_ = 0;           // bytes of replies it has not taken: in output_ and in slots
  std::size_t requests_held_ = 0;  // bytes of requests that are under way
  std::size_t item_size_ = 0;      // what its items are likely to be at most; 0: not known
  int busy_ = 0;
  TimePoint connected_{};
  TimePoint active_{};                  // the last sign of a request or a reply
  TimePoint begun_ = TimePoint::max();  // the request at the front of the input; max: there is none
  bool progress_ = true;
  bool sent_short_ = false;  // the client has not taken all at once
  bool paused_ = false;      // not read: see stop_reading()
  bool pause_noted_ = false;
  bool at_end_ = false;  // it will send no more
  bool draining_ = false;
  bool closed_ = false;
  std::optional<CloseCause> ending_;  // close when all is answered; no more requests are taken
  Resume resume_{*this};
  std::unique_ptr<Gate> gate_;
  std::unique_ptr<net::Stream> stream_;
};

template <class Slot>
Slot& ClientConnection::append(Slot& slot) {
  ReplySlot* added = &slot;
  (last_ != nullptr ? last_->next_ : first_) = added;
  last_ = added;
  ++in_flight_;
  ++appended_;
  return slot;
}

}  // namespace mcsteady::proxy
