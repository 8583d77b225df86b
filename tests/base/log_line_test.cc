#include "base/log_line.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace mcsteady {
namespace {

using std::string_literals::operator""s;

TEST(TextLine, NamesTheEventAndItsFacts) {
  EXPECT_EQ(text_line("12:00", LogLevel::Warn, "server is down",
                      {{"server", "cache-1"}, {"incidents", 2}}),
            "12:00 warn server is down server=cache-1 incidents=2");
}

TEST(TextLine, QuotesWhatWouldMisleadWhoSplitsIt) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"plain", "plain"},
      {"", "\"\""},
      {"two words", "\"two words\""},
      {"a=b", "\"a=b\""},
      {"say \"no\"", "\"say \\\"no\\\"\""},
      {"back\\slash", "\"back\\\\slash\""},
      {"line\r\nbreak\t", "\"line\\r\\nbreak\\t\""},
      {"nul\0"s, "\"nul\\u0000\""},
      {"del\x7F", "\"del\\u007f\""},
      {"\x1B[31m", "\"\\u001b[31m\""},
  };
  for (const auto& [value, written] : table) {
    EXPECT_EQ(text_line("t", LogLevel::Info, "e", {{"f", value}}), "t info e f=" + written);
  }
}

TEST(JsonLine, HasAMemberForEachFact) {
  EXPECT_EQ(json_line("12:00", LogLevel::Error, "server is down",
                      {{"server", "cache-1"}, {"incidents", 2}, {"change", -1}}),
            R"({"time":"12:00","level":"error","event":"server is down",)"
            R"("server":"cache-1","incidents":2,"change":-1})");
}

TEST(JsonLine, EscapesWhatJsonDoesNotAllow) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"plain", "plain"},
      {"a\"b", "a\\\"b"},
      {"a\\b", "a\\\\b"},
      {"a\nb", "a\\nb"},
      {"a\0b"s, "a\\u0000b"},
      {"gr\xC3\xBC\xC3\x9F", "gr\xC3\xBC\xC3\x9F"},
      {"\xE2\x82\xAC", "\xE2\x82\xAC"},
      {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"}};
  for (const auto& [value, written] : table) {
    EXPECT_EQ(json_line("t", LogLevel::Info, "e", {{"f", value}}),
              R"({"time":"t","level":"info","event":"e","f":")" + written + "\"}");
  }
}

TEST(JsonLine, ReplacesBytesThatAreNoUtf8) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"\xFF", "\\ufffd"},                                    // never a lead
      {"\x80", "\\ufffd"},                                    // a continuation alone
      {"\xC3", "\\ufffd"},                                    // cut off
      {"\xC3(", "\\ufffd("},                                  // not continued
      {"\xC0\xAF", "\\ufffd\\ufffd"},                         // overlong
      {"\xE0\x80\xAF", "\\ufffd\\ufffd\\ufffd"},              // overlong
      {"\xED\xA0\x80", "\\ufffd\\ufffd\\ufffd"},              // a surrogate
      {"\xF4\x90\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd"}};  // past U+10FFFF
  for (const auto& [value, written] : table) {
    EXPECT_EQ(json_line("t", LogLevel::Info, "e", {{"f", value}}),
              R"({"time":"t","level":"info","event":"e","f":")" + written + "\"}");
  }
}

TEST(JsonLine, QuotesNumbersThatJsonDoesNotHave) {
  EXPECT_EQ(json_line("t", LogLevel::Info, "e",
                      {{"a", std::numeric_limits<double>::infinity()},
                       {"b", -std::numeric_limits<double>::infinity()}}),
            R"({"time":"t","level":"info","event":"e","a":"inf","b":"-inf"})");
}

}  // namespace
}  // namespace mcsteady
