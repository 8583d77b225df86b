#include "support/memcached_model.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace mcsteady::test {
namespace {

using namespace std::chrono_literals;

class MemcachedModelTest : public testing::Test {
 protected:
  std::string ask(const std::string& line, const std::string& body = {}) {
    std::istringstream words(line);
    MemcachedCommand command{.line = line, .words = {}, .body = body};
    for (std::string word; words >> word;) command.words.push_back(word);
    return model.execute(command, now);
  }

  MemcachedModel model;
  TimePoint now{1h};
};

// What memcached 1.6.18 answered when it was asked the same, in this order.
TEST_F(MemcachedModelTest, AnswersAsMemcachedDid) {
  struct Exchange {
    const char *line, *body, *reply;
  };
  const std::vector<Exchange> seen{
      {"ma x q", "", "NF\r\n"},
      {"ma n N0 J5 q", "", ""},
      {"ma n q v t c", "", ""},
      {"ms a 2 q", "hi", ""},
      {"ms a 2 q ME", "hi", "NS\r\n"},
      {"ms a 2 O7 k b", "hi", "CLIENT_ERROR error decoding key\r\n"},
      {"ms YQ== 2 b k O7", "hi", "HD kYQ== b O7\r\n"},
      {"mg YQ== b k v O7 f t s h l", "", "VA 2 kYQ== b O7 f0 t-1 s2 h0 l0\r\nhi\r\n"},
      {"mg YQ== b k v h l", "", "VA 2 kYQ== b h1 l0\r\nhi\r\n"},
      {"mg zz k O9 q", "", ""},
      {"mg zz k O9 f", "", "EN kzz O9\r\n"},
      {"md zz q", "", "NF\r\n"},
      {"md zz k O1", "", "NF kzz O1\r\n"},
      {"md a q", "", ""},
      {"me zz", "", "EN\r\n"},
      {"mg n v T30 t", "", "VA 1 t30\r\n6\r\n"},
      {"set n 0 0 2", "10", "STORED\r\n"},
      {"decr n 1", "", "9\r\n"},
      {"get n", "", "VALUE n 0 2\r\n9 \r\nEND\r\n"},
      {"ma n MD v", "", "VA 1\r\n8\r\n"},
      {"gat 30 n m", "", "VALUE n 0 2\r\n8 \r\nEND\r\n"},
      {"mg n", "", "HD\r\n"},
      {"ms n 1 C1 k O1 c", "a", "EX kn O1 c0\r\n"},
      {"ms q 1 MA c k", "a", "NS c0 kq\r\n"},
      {"ms q 1 C1 k", "a", "NF kq\r\n"},
      {"incr n a", "", "CLIENT_ERROR invalid numeric delta argument\r\n"},
      {"incr n", "", "ERROR\r\n"},
      {"touch n 0", "", "TOUCHED\r\n"},
      {"verbosity 1", "", "OK\r\n"},
      {"ms q 1 MX k", "a", "CLIENT_ERROR invalid mode for ms M token\r\n"},
      {"ma n MX", "", "CLIENT_ERROR invalid mode for ma M token\r\n"},
      {"md n C1 k O1", "", "EX kn O1\r\n"},
  };
  for (const auto& [line, body, reply] : seen) {
    EXPECT_EQ(ask(line, body), reply) << line;
  }
}

TEST_F(MemcachedModelTest, KeepsTheRulesOfEachStorageCommand) {
  EXPECT_EQ(ask("replace a 0 0 1", "1"), "NOT_STORED\r\n");
  EXPECT_EQ(ask("append a 0 0 1", "1"), "NOT_STORED\r\n");
  EXPECT_EQ(ask("add a 7 0 1", "1"), "STORED\r\n");
  EXPECT_EQ(ask("add a 0 0 1", "2"), "NOT_STORED\r\n");
  EXPECT_EQ(ask("append a 0 0 1", "2"), "STORED\r\n");
  EXPECT_EQ(ask("prepend a 0 0 1 noreply", "0"), "");

  EXPECT_EQ(ask("get a"), "VALUE a 7 3\r\n012\r\nEND\r\n");
}

TEST_F(MemcachedModelTest, ComparesAndSwapsOnTheNumberThatGetsTold) {
  ask("set a 0 0 1", "1");
  EXPECT_EQ(ask("gets a"), "VALUE a 0 1 1\r\n1\r\nEND\r\n");
  EXPECT_EQ(ask("cas a 0 0 1 1", "2"), "STORED\r\n");
  EXPECT_EQ(ask("cas a 0 0 1 1", "3"), "EXISTS\r\n");
  EXPECT_EQ(ask("cas b 0 0 1 1", "3"), "NOT_FOUND\r\n");

  EXPECT_EQ(model.value("a"), "2");
}

TEST_F(MemcachedModelTest, ForgetsItemsWhenTheirTimeIsOver) {
  ask("set a 0 10 1", "1");
  ask("set gone 0 -1 1", "1");
  now += 9s;
  EXPECT_EQ(ask("mg a t"), "HD t1\r\n");
  EXPECT_EQ(ask("mg gone"), "EN\r\n");
  now += 1s;

  EXPECT_EQ(ask("mg a"), "EN\r\n");
}

TEST_F(MemcachedModelTest, CountsWithWrapAndFloor) {
  ask("set n 0 0 20", "18446744073709551615");
  EXPECT_EQ(ask("incr n 2"), "1\r\n");
  EXPECT_EQ(ask("decr n 5"), "0\r\n");
  ask("set t 0 0 1", "x");

  EXPECT_EQ(ask("incr t 1"), "CLIENT_ERROR cannot increment or decrement non-numeric value\r\n");
}

}  // namespace
}  // namespace mcsteady::test
