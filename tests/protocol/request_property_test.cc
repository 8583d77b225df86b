#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "fuzz/request_check.h"
#include "mcsteady/protocol/request.h"

namespace mcsteady::protocol {
namespace {

/// A request as it may be sent, and what must be read from it.
struct Sample {
  std::string line;
  Verb verb = Verb::Get;
  std::vector<std::string> keys;
  std::optional<std::size_t> body_size;
  bool quiet = false;
};

/// Random valid requests. The seed is fixed, so a failure is the same on every machine.
class Generator {
 public:
  Sample next() {
    Sample sample;
    sample.verb = static_cast<Verb>(below(kVerbCount));
    sample.line = std::string(below(8) == 0 ? 2 : 0, ' ') + std::string(to_string(sample.verb));
    if (is_meta(sample.verb)) {
      add_meta(sample);
    } else {
      add_classic(sample);
    }
    sample.line += std::string(below(4) == 0 ? 1 : 0, ' ') + (below(4) == 0 ? "\n" : "\r\n");
    return sample;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  std::string blanks() { return std::string(below(6) == 0 ? 2 : 1, ' '); }
  void add(Sample& sample, const std::string& word) { sample.line += blanks() + word; }

  std::string key() {
    std::string key(1 + below(below(10) == 0 ? 250 : 20), '\0');
    for (char& c : key) {
      do {
        c = static_cast<char>(0x21 + below(0xdf));
      } while (c == 0x7f);
    }
    return key;
  }
  void add_key(Sample& sample) {
    sample.keys.push_back(key());
    add(sample, sample.keys.back());
  }
  void add_body_size(Sample& sample) {
    sample.body_size = below(100);
    add(sample, std::to_string(*sample.body_size));
  }
  void maybe_noreply(Sample& sample) {
    sample.quiet = below(2) == 0;
    if (sample.quiet) add(sample, "noreply");
  }

  void add_classic(Sample& sample) {
    const Verb verb = sample.verb;
    if (verb == Verb::Gat || verb == Verb::Gats) add(sample, "-30");
    if (is_classic_retrieval(verb)) {
      for (std::size_t count = 1 + below(4); count > 0; --count) add_key(sample);
    } else if (is_classic_storage(verb)) {
      add_key(sample);
      add(sample, "4294967295");
      add(sample, "30");
      add_body_size(sample);
      if (verb == Verb::Cas) add(sample, "18446744073709551615");
      maybe_noreply(sample);
    } else if (verb == Verb::Incr || verb == Verb::Decr || verb == Verb::Touch) {
      add_key(sample);
      add(sample, "7");
      maybe_noreply(sample);
    } else if (verb == Verb::Delete) {
      add_key(sample);
      if (below(3) == 0) add(sample, "0");
      maybe_noreply(sample);
    } else if (verb == Verb::Verbosity || verb == Verb::FlushAll) {
      add(sample, "1");
      maybe_noreply(sample);
    }
  }
  void add_meta(Sample& sample) {
    if (sample.verb == Verb::MetaNoop) return;
    add_key(sample);
    if (sample.verb == Verb::MetaSet) add_body_size(sample);
    for (const char* const flag : {"v", "T30", "q", "Oopaque", "k", "b", "c"}) {
      if (below(3) != 0) continue;
      add(sample, flag);
      if (*flag == 'q') sample.quiet = sample.verb != Verb::MetaDebug;
    }
  }

  std::mt19937 random_{20240229};
};

void expect_reads_as(const Sample& sample, const Parsed& parsed) {
  ASSERT_EQ(parsed.kind, Parsed::Kind::Request);
  EXPECT_EQ(parsed.consumed, sample.line.size());
  EXPECT_EQ(parsed.request.verb, sample.verb);
  EXPECT_EQ(parsed.request.body_size, sample.body_size);
  EXPECT_EQ(parsed.request.quiet, sample.quiet);
  KeyWalker keys(parsed.request.keys);
  for (const std::string& key : sample.keys) EXPECT_EQ(keys.next(), key);
  EXPECT_EQ(keys.next(), "");
}

TEST(RequestProperty, EverySplitWaitsForTheLineAndThenReadsTheSame) {
  Generator generator;
  for (int round = 0; round < 2000; ++round) {
    const Sample sample = generator.next();
    SCOPED_TRACE(sample.line);
    for (std::size_t cut = 0; cut < sample.line.size(); ++cut) {
      const Parsed parsed = parse_request(std::string_view(sample.line).substr(0, cut), Limits{});
      ASSERT_EQ(parsed.kind, Parsed::Kind::Incomplete) << cut;
    }
    expect_reads_as(sample, parse_request(sample.line, Limits{}));
    expect_reads_as(sample, parse_request(sample.line + "get more\r\n", Limits{}));
    if (HasFatalFailure()) return;
  }
}

TEST(RequestProperty, AComposedCommandReadsAsTheSameRequestThatIsNotQuiet) {
  Generator generator;
  for (int round = 0; round < 2000; ++round) {
    Sample sample = generator.next();
    SCOPED_TRACE(sample.line);
    const std::string line = sample.line;
    const Parsed parsed = parse_request(line, Limits{});
    fuzz::check_command(parsed.request, Limits{});
    std::string command(parsed.request.line.size() + 2, '\0');
    command.resize(compose_command(parsed.request, command.data()));

    sample.line = command;
    sample.quiet = false;
    expect_reads_as(sample, parse_request(command, Limits{}));
    EXPECT_TRUE(command.ends_with("\r\n"));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace mcsteady::protocol
