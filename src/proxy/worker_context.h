#pragma once

#include "mcsteady/proxy/options.h"
#include "mcsteady/proxy/worker.h"
#include "mcsteady/proxy/worker_metrics.h"
#include "mcsteady/upstream/context.h"
#include "proxy/router.h"
#include "proxy/slot_pool.h"

namespace mcsteady::proxy {

class ClientConnection;
class SingleSlot;
class BinarySlot;
class RetrievalSlot;
class FanOutSlot;

/// What a worker lends to its clients and their requests. Outlives them.
struct WorkerContext {
  net::EventLoop& loop;
  net::BlockPool& blocks;
  upstream::ExchangePool& exchanges;
  Router& router;
  const ClientOptions& options;
  WorkerMetrics& metrics;
  Shared& shared;
  /// What items are likely to be at most, over all clients: for a client that has had none yet.
  std::size_t item_size = 0;

  SlotPool<SingleSlot, WorkerContext> single_slots{*this};
  SlotPool<BinarySlot, WorkerContext> binary_slots{*this};
  SlotPool<RetrievalSlot, WorkerContext> retrieval_slots{*this};
  SlotPool<FanOutSlot, WorkerContext> fan_out_slots{*this};
};

}  // namespace mcsteady::proxy
