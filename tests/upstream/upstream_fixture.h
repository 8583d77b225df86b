#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mcsteady/upstream/context.h"
#include "mcsteady/upstream/options.h"
#include "mcsteady/upstream/server_metrics.h"
#include "upstream/manual_loop.h"

namespace mcsteady::upstream {

using namespace std::chrono_literals;

/// Writes down what it is told of its exchanges: the bytes of lines and items as they came, and
/// failures as "!cause".
struct RecordingOwner : Exchange::Owner {
  std::vector<std::string> heard;
  std::vector<net::Block> kept;  // the blocks of large items

  void on_item(Exchange&, Item&& item) override {
    heard.emplace_back(item.wire);
    if (item.large) kept.push_back(std::move(item.large));
  }
  void on_line(Exchange&, const protocol::ReplyLine& line) override {
    heard.emplace_back(line.line);
  }
  void on_failed(Exchange&, Failure failure) override {
    heard.push_back(std::string("!") + to_string(failure));
  }
};

/// What a connection or a server needs around it, on a loop that the test moves.
class UpstreamTest : public testing::Test {
 protected:
  UpstreamTest() {
    options.name = "a";
    options.endpoint = {.host = "127.0.0.1", .port = 11211, .unix_path = {}};
    options.request_timeout = Duration{0};
    options.gather_gets = false;  // a reply of its own for each command is simpler to script
  }

  ExchangePtr exchange(std::string_view command, Exchange::Owner& who,
                       protocol::ReplyShape shape = protocol::ReplyShape::Items) {
    ExchangePtr made = exchanges.make();
    made->owner = &who;
    made->shape = shape;
    if (shape == protocol::ReplyShape::Line) made->verb = protocol::Verb::Set;
    made->head = blocks.allocate_always(command.size());
    made->head_size = command.size();
    std::memcpy(made->head.data(), command.data(), command.size());
    made->started = loop.now();
    return made;
  }
  ExchangePtr line_exchange(std::string_view command, Exchange::Owner& who) {
    return exchange(command, who, protocol::ReplyShape::Line);
  }
  std::uint64_t failures(Failure cause) const {
    return metrics.failures[static_cast<std::size_t>(cause)].value();
  }

  ManualLoop loop;
  net::MemoryBudget budget{MiB(64)};
  net::BlockPool blocks{budget};
  ExchangePool exchanges;
  metrics::Histogram loop_lag;
  StallBeat beat{loop, exchanges, loop_lag};
  Context context{loop, blocks, exchanges, beat};
  ServerOptions options;
  ServerMetrics metrics;
  RecordingOwner owner;
};

}  // namespace mcsteady::upstream
