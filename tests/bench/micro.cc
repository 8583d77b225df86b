// What the pure parts of the hot path cost, one call at a time.

#include <benchmark/benchmark.h>

#include <string>
#include <string_view>
#include <vector>

#include "mcsteady/placement/placement.h"
#include "mcsteady/protocol/reply.h"
#include "mcsteady/protocol/request.h"

namespace mcsteady {
namespace {

void parse_request_line(benchmark::State& state, std::string_view input) {
  const protocol::Limits limits;
  for (auto _ : state) {
    benchmark::DoNotOptimize(input);
    benchmark::DoNotOptimize(protocol::parse_request(input, limits));
  }
}

std::string many_keys() {
  std::string line = "get";
  for (int i = 100; i < 200; ++i) line += " session:" + std::to_string(i);
  return line + "\r\n";
}
const std::string kManyKeys = many_keys();

BENCHMARK_CAPTURE(parse_request_line, get, "get session:0123456789\r\n");
BENCHMARK_CAPTURE(parse_request_line, get_100_keys, kManyKeys);
BENCHMARK_CAPTURE(parse_request_line, set, "set session:0123456789 0 3600 1024\r\n");
BENCHMARK_CAPTURE(parse_request_line, delete, "delete session:0123456789\r\n");
BENCHMARK_CAPTURE(parse_request_line, mg, "mg session:0123456789 k v t f c O17\r\n");
BENCHMARK_CAPTURE(parse_request_line, ms, "ms session:0123456789 1024 T3600 F0 q\r\n");
BENCHMARK_CAPTURE(parse_request_line, incomplete, "get session:012345678");

void parse_reply(benchmark::State& state, std::string_view input, protocol::ReplyShape shape) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(input);
    benchmark::DoNotOptimize(protocol::parse_reply_line(input, shape));
  }
}

BENCHMARK_CAPTURE(parse_reply, value, "VALUE session:0123456789 0 1024\r\n",
                  protocol::ReplyShape::Items);
BENCHMARK_CAPTURE(parse_reply, end, "END\r\n", protocol::ReplyShape::Items);
BENCHMARK_CAPTURE(parse_reply, stored, "STORED\r\n", protocol::ReplyShape::Line);
BENCHMARK_CAPTURE(parse_reply, meta_value, "VA 1024 ksession:0123456789 t3600 f0 c17\r\n",
                  protocol::ReplyShape::Meta);
BENCHMARK_CAPTURE(parse_reply, meta_header, "HD\r\n", protocol::ReplyShape::Meta);

void compose_command(benchmark::State& state) {
  const auto parsed = protocol::parse_request("set session:0123456789 0 3600 1024 noreply\r\n", {});
  std::vector<char> out(parsed.request.line.size() + 2);
  for (auto _ : state) {
    benchmark::DoNotOptimize(protocol::compose_command(parsed.request, out.data()));
  }
}
BENCHMARK(compose_command);

using placement::Hash;
using placement::PlacementOptions;

std::vector<placement::Node> nodes(std::int64_t count, bool weighted) {
  std::vector<placement::Node> list;
  list.reserve(static_cast<std::size_t>(count));
  for (std::uint32_t i = 0; i < count; ++i) {
    list.push_back(
        {.host = "10.0.0." + std::to_string(i), .port = 11211, .weight = weighted ? i % 4 + 1 : 1});
  }
  return list;
}

void place_key(benchmark::State& state, const PlacementOptions& options, bool weighted) {
  const auto placement = placement::make_placement(options, nodes(state.range(0), weighted));
  std::vector<std::string> keys;
  keys.reserve(1024);
  for (int i = 0; i < 1024; ++i) keys.push_back("session:" + std::to_string(1000000 + i * 7919));
  std::size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(placement->place(keys[next++ % keys.size()]));
}

void rebuild(benchmark::State& state, const PlacementOptions& options) {
  const auto list = nodes(state.range(0), true);
  for (auto _ : state) benchmark::DoNotOptimize(placement::make_placement(options, list));
}

PlacementOptions ring_of(PlacementOptions::Ring ring, Hash hash) {
  PlacementOptions options;
  options.ring = ring;
  options.hash = hash;
  return options;
}
const PlacementOptions kKetama;
const PlacementOptions kTwemproxy = ring_of(PlacementOptions::Ring::Weighted, Hash::Fnv1a_64);
const PlacementOptions kKetamaWeighted = ring_of(PlacementOptions::Ring::Weighted, Hash::Md5);
const PlacementOptions kDalli = ring_of(PlacementOptions::Ring::Dalli, Hash::Crc32);
const PlacementOptions kModula{.kind = PlacementOptions::Kind::Modula};
const PlacementOptions kCh3{.kind = PlacementOptions::Kind::Ch3};
const PlacementOptions kTable{.kind = PlacementOptions::Kind::Table, .hash = Hash::Xxh3};

BENCHMARK_CAPTURE(place_key, ketama, kKetama, false)->Arg(2)->Arg(4)->Arg(16)->Arg(100);
BENCHMARK_CAPTURE(place_key, modula, kModula, false)->Arg(4);
BENCHMARK_CAPTURE(place_key, ketama_with_weights, kKetama, true)->Arg(100);
BENCHMARK_CAPTURE(place_key, twemproxy, kTwemproxy, true)->Arg(100);
BENCHMARK_CAPTURE(place_key, ketama_weighted, kKetamaWeighted, true)->Arg(100);
BENCHMARK_CAPTURE(place_key, dalli, kDalli, true)->Arg(100);
BENCHMARK_CAPTURE(place_key, ch3, kCh3, false)->Arg(100);
BENCHMARK_CAPTURE(place_key, mcsteady, kTable, true)->Arg(100);
BENCHMARK_CAPTURE(rebuild, ketama, kKetama)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rebuild, dalli, kDalli)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rebuild, mcsteady, kTable)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mcsteady

BENCHMARK_MAIN();
