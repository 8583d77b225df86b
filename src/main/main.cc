#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>

#include "main/config_file.h"
#include "main/exit_status.h"
#include "main/place_command.h"
#include "main/process.h"
#include "mcsteady/config/config.h"

namespace {

using namespace mcsteady;

const char* const kVersion = MCSTEADY_VERSION;

struct Arguments {
  std::string config_file;
  std::string log_level;
  bool check = false;
};

/// Each client is a descriptor: take all that the system allows us.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int check(const config::Config& config) {
  std::fputs(config::describe(config).c_str(), stdout);
  for (const config::TlsUse& use : config.tls) {
    const auto expires = use.context->expires();
    if (!expires || *expires > std::chrono::system_clock::now()) continue;
    std::fprintf(stderr, "mcsteady: the certificate of %s has expired\n", use.owner.c_str());
  }
  return 0;
}

int run(const config::Config& config) {
  auto log = open_log(config.log);
  if (!log) {
    std::fprintf(stderr, "mcsteady: %s\n", log.error().c_str());
    return kExitConfig;
  }
  raise_descriptor_limit();
  // The version that clients are told starts with the protocol's, because libmemcached and others
  // read three numbers there and decide by them what the server can do.
  Process process(config, **log, std::string("1.6.18-mcsteady-") + kVersion);
  if (auto opened = process.open(); !opened) {
    (*log)->error("cannot start", {{"error", opened.error()}});
    return 1;
  }
  process.run();
  return 0;
}

int start(const Arguments& arguments) {
  config::Config config = config::default_config();
  if (!arguments.config_file.empty()) {
    auto loaded = load_or_complain(arguments.config_file);
    if (!loaded) return kExitConfig;
    config = std::move(*loaded);
  }
  if (!arguments.log_level.empty()) {
    const auto level = parse_log_level(arguments.log_level);
    if (!level) {
      std::fprintf(stderr,
                   "mcsteady: --log-level: no such level '%s': trace, debug, info, warn or error\n",
                   arguments.log_level.c_str());
      return kExitConfig;
    }
    config.log.level = *level;
  }
  return arguments.check ? check(config) : run(config);
}

int parse_and_start(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{
      "A memcached proxy that runs beside an application. Without a configuration it listens "
      "on 127.0.0.1:11211 in front of one memcached at 127.0.0.1:11212."};
  app.add_option("--config", arguments.config_file,
                 "YAML file; config/mcsteady.full.yaml shows all");
  app.add_flag(
      "--check", arguments.check,
      "validate the configuration, print what would run, and exit with 0, or 78 if it is wrong");
  app.add_option("--log-level", arguments.log_level, "trace, debug, info, warn or error");
  app.set_version_flag("--version", std::string("mcsteady ") + kVersion);
  PlaceCommand place;
  ComparePlacementCommand compare;
  CLI::App* const place_app = app.add_subcommand("place", "print where keys go, and why");
  CLI::App* const compare_app = app.add_subcommand(
      "compare-placement", "print how many keys a change of configuration would move");
  place.describe(*place_app);
  compare.describe(*compare_app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  if (place_app->parsed()) return place.run();
  if (compare_app->parsed()) return compare.run();
  return start(arguments);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return parse_and_start(argc, argv);
  } catch (const std::exception& error) {
    // Only a library, or the end of memory, can bring us here.
    std::fprintf(stderr, "mcsteady: %s\n", error.what());
    return 1;
  }
}
