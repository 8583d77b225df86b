#include "config/units.h"

#include <gtest/gtest.h>

namespace mcsteady::config {
namespace {

using namespace std::chrono_literals;

TEST(Units, ADurationIsAWholeNumberAndAUnit) {
  EXPECT_EQ(parse_duration("7ns"), 7ns);
  EXPECT_EQ(parse_duration("7us"), 7us);
  EXPECT_EQ(parse_duration("250ms"), 250ms);
  EXPECT_EQ(parse_duration("30s"), 30s);
  EXPECT_EQ(parse_duration("5m"), 5min);
  EXPECT_EQ(parse_duration("24h"), 24h);
  EXPECT_EQ(parse_duration("0"), 0s);
}

TEST(Units, ADurationThatIsNoneSaysWhatWouldBe) {
  EXPECT_EQ(parse_duration("250").error(),
            "'250' has no unit; write 250ms or 250s (units: ns us ms s m h)");
  EXPECT_EQ(parse_duration("1.5s").error(),
            "'1.5s' has a fraction; write a whole number of a smaller unit");
  EXPECT_EQ(parse_duration("3sec").error(),
            "'3sec' has an unknown unit; use ns, us, ms, s, m or h");
  EXPECT_EQ(parse_duration("250 ms").error(),
            "'250 ms' has an unknown unit; use ns, us, ms, s, m or h");
  EXPECT_EQ(parse_duration("25h").error(), "'25h' is too long; the most is 24h");
  EXPECT_EQ(parse_duration("9999999999999999h").error(),
            "'9999999999999999h' is too long; the most is 24h");
  for (const char* bad : {"", "ms", "-1s", "soon", "99999999999999999999s"}) {
    EXPECT_EQ(
        parse_duration(bad).error(),
        "'" + std::string(bad) + "' is no duration; write a whole number and a unit, as 250ms");
  }
}

TEST(Units, ASizeIsAWholeNumberAndABinaryUnit) {
  EXPECT_EQ(parse_size("250B"), ByteCount{250});
  EXPECT_EQ(parse_size("0"), ByteCount{0});
  EXPECT_EQ(parse_size("64KiB"), KiB(64));
  EXPECT_EQ(parse_size("8MiB"), MiB(8));
  EXPECT_EQ(parse_size("1024GiB"), MiB(1 << 20));
}

TEST(Units, ASizeThatIsNoneSaysWhatWouldBe) {
  const std::string binary = " (units are binary: B KiB MiB GiB)";
  EXPECT_EQ(parse_size("250").error(),
            "'250' has no unit; write 250B or 250MiB (units: B KiB MiB GiB)");
  EXPECT_EQ(parse_size("1MB").error(), "'1MB' has an unknown unit; write 1MiB" + binary);
  EXPECT_EQ(parse_size("1kB").error(), "'1kB' has an unknown unit; write 1KiB" + binary);
  EXPECT_EQ(parse_size("2g").error(), "'2g' has an unknown unit; write 2GiB" + binary);
  EXPECT_EQ(parse_size("2b").error(), "'2b' has an unknown unit; write 2B" + binary);
  EXPECT_EQ(parse_size("1.5MiB").error(),
            "'1.5MiB' has a fraction; write a whole number of a smaller unit");
  EXPECT_EQ(parse_size("1TiB").error(), "'1TiB' has an unknown unit; use B, KiB, MiB or GiB");
  EXPECT_EQ(parse_size("1025GiB").error(), "'1025GiB' is too large; the most is 1024GiB");
  EXPECT_EQ(parse_size("lots").error(),
            "'lots' is no size; write a whole number and a unit, as 8MiB");
}

TEST(Units, TextIsInTheLargestUnitWithoutAFraction) {
  EXPECT_EQ(to_text(Duration(90s)), "90s");
  EXPECT_EQ(to_text(Duration(60s)), "1m");
  EXPECT_EQ(to_text(Duration(1500us)), "1500us");
  EXPECT_EQ(to_text(Duration::zero()), "0s");
  EXPECT_EQ(to_text(MiB(1024)), "1GiB");
  EXPECT_EQ(to_text(ByteCount{1025}), "1025B");
}

}  // namespace
}  // namespace mcsteady::config
