// A load generator for memcached's classic and meta protocols, over TCP and unix sockets, closed
// loop or at a fixed rate. It checks what comes back, and prints one line of JSON. One thread, no
// copies on the way out, one shared buffer on the way in: the core that it shares with memcached is
// for memcached.

#include <sys/prctl.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "bench/load.h"

namespace mcsteady::bench {
namespace {

struct Arguments {
  std::string connect = "127.0.0.1:11211";
  std::vector<std::string> preload;
  bool no_preload = false;
  ItemOptions items;
  LoadOptions load;
  double warm_up = 0.5;  // seconds
  double seconds = 5;
  std::uint64_t operations = 0;
  double rate = 0;
  bool hold = false;
};

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_option("--connect", arguments.connect, "where: host:port or unix:/path");
  app.add_option("--preload", arguments.preload,
                 "servers to fill with every key (all of them with all); default: --connect");
  app.add_flag("--no-preload", arguments.no_preload, "the keys are there already");
  const std::map<std::string, Dialect> dialects{{"text", Dialect::Text}, {"meta", Dialect::Meta}};
  app.add_option("--dialect", arguments.items.dialect, "text or meta")
      ->transform(CLI::CheckedTransformer(dialects));
  app.add_option("--key-prefix", arguments.items.key_prefix, "what every key begins with");
  app.add_option("--keys", arguments.items.key_count, "how many there are")
      ->check(CLI::Range(1, 10'000'000));
  app.add_option("--size", arguments.items.value_size, "of a value, in bytes");
  app.add_option("--keys-per-get", arguments.items.keys_per_get)->check(CLI::PositiveNumber);
  app.add_option("--clients", arguments.load.clients)->check(CLI::PositiveNumber);
  app.add_option("--depth", arguments.load.depth, "requests in flight, for each client")
      ->check(CLI::PositiveNumber);
  app.add_option("--get-share", arguments.load.get_share, "0 to 1; the rest are sets")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--compare-every", arguments.load.compare_every,
                 "one value of so many is compared byte by byte; all have their length checked")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", arguments.load.seed);
  app.add_option("--warm-up", arguments.warm_up, "seconds of load that do not count");
  app.add_option("--seconds", arguments.seconds, "of load that counts");
  app.add_option("--operations", arguments.operations, "a count in place of --seconds");
  app.add_option("--rate", arguments.rate, "open loop: operations a second; 0: closed loop")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--hold", arguments.hold,
               "say 'ready' before the load that counts and wait for a line on standard input; "
               "keep the connections after it until another line comes");
}

/// Milliseconds. `latencies` is reordered.
double quantile(std::vector<Duration>& latencies, double share) {
  if (latencies.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(latencies.size() - 1));
  std::nth_element(latencies.begin(), latencies.begin() + at, latencies.end());
  return std::chrono::duration<double, std::milli>(latencies[static_cast<std::size_t>(at)]).count();
}

/// Of text that holds no control characters but may hold quotes.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char byte : text) {
    if (byte == '"' || byte == '\\') out += '\\';
    out += byte;
  }
  return out + '"';
}

void print(Outcome& outcome, const CheckCounts& counts) {
  const auto operations = static_cast<double>(outcome.latencies.size());
  std::printf(
      "{\"operations\": %zu, \"seconds\": %.6f, \"ops_per_s\": %.1f, \"p50_ms\": %.4f, "
      "\"p99_ms\": %.4f, \"p999_ms\": %.4f, \"values\": %llu, \"values_compared\": %llu, "
      "\"misses\": %llu, \"errors\": %llu, \"first_error\": %s}\n",
      outcome.latencies.size(), outcome.seconds,
      outcome.seconds > 0 ? operations / outcome.seconds : 0, quantile(outcome.latencies, 0.5),
      quantile(outcome.latencies, 0.99), quantile(outcome.latencies, 0.999),
      static_cast<unsigned long long>(counts.values),
      static_cast<unsigned long long>(counts.values_compared),
      static_cast<unsigned long long>(counts.misses),
      static_cast<unsigned long long>(counts.errors), quoted(counts.first_error).c_str());
  std::fflush(stdout);
}

void wait_for_a_line() {
  for (int byte = std::getchar(); byte != '\n' && byte != EOF;) byte = std::getchar();
}

void preload(const Arguments& arguments, const Items& items) {
  if (arguments.no_preload) return;
  std::vector<std::string> servers = arguments.preload;
  if (servers.empty()) servers.push_back(arguments.connect);
  for (const std::string& server : servers) {
    Load load({.depth = 16}, items, address_of(server));
    load.run({.duration = {}, .operations = {}, .fill = true});
    if (load.counts().errors > 0) fail("preload of " + server + ": " + load.counts().first_error);
  }
}

Duration duration_of(double seconds) {
  return Duration(static_cast<Duration::rep>(seconds * 1e9));
}

/// False where errors were among the replies.
bool run(const Arguments& arguments) {
  const Items items(arguments.items);
  preload(arguments, items);
  Load load(arguments.load, items, address_of(arguments.connect));
  if (arguments.warm_up > 0) {
    load.run(
        {.duration = duration_of(arguments.warm_up), .operations = {}, .rate = arguments.rate});
  }
  if (arguments.hold) {
    std::puts("ready");
    std::fflush(stdout);
    wait_for_a_line();
  }
  Phase phase{.duration = duration_of(arguments.seconds), .operations = {}, .rate = arguments.rate};
  if (arguments.operations > 0)
    phase = {.duration = {}, .operations = arguments.operations, .rate = arguments.rate};
  Outcome outcome = load.run(phase);
  print(outcome, load.counts());
  if (arguments.hold) wait_for_a_line();
  return load.counts().errors == 0;
}

/// Timers to the microsecond, and descriptors for as many clients as the system allows.
void prepare_process() {
  prctl(PR_SET_TIMERSLACK, 1UL);
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
}

}  // namespace
}  // namespace mcsteady::bench

int main(int count, char** words) try {
  CLI::App app("Puts load on a memcached or on a proxy in front of it, and checks the replies.");
  mcsteady::bench::Arguments arguments;
  mcsteady::bench::add_options(app, arguments);
  CLI11_PARSE(app, count, words);
  mcsteady::bench::prepare_process();
  return mcsteady::bench::run(arguments) ? 0 : 2;
} catch (const std::exception& error) {
  mcsteady::bench::fail(error.what());
}
