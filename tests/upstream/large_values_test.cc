#include "upstream/large_values.h"

#include <gtest/gtest.h>

#include <string>

namespace mcsteady::upstream {
namespace {

constexpr std::size_t kLarge = 100'000;

TEST(LargeValues, NothingIsLikelyUntilALargeValueHasBeenSeen) {
  LargeValues values{KiB(64)};

  values.learn("page:1:html", 65'536);

  EXPECT_TRUE(values.empty());
  EXPECT_FALSE(values.is_likely("page:1:html"));
}

TEST(LargeValues, KeysThatBeginLikeALargeOneAreLikely) {
  LargeValues values{KiB(64)};

  values.learn("page:17:html", kLarge);

  EXPECT_TRUE(values.is_likely("page:17:html"));
  EXPECT_TRUE(values.is_likely("page:2:css"));
  EXPECT_FALSE(values.is_likely("page:html"));
  EXPECT_FALSE(values.is_likely("user:17:html"));
  EXPECT_FALSE(values.is_likely(""));
}

TEST(LargeValues, AKeyWithoutASeparatorBeginsWithAllButItsDigits) {
  LargeValues values{KiB(64)};

  values.learn("image17", kLarge);

  EXPECT_TRUE(values.is_likely("image4"));
  EXPECT_FALSE(values.is_likely("images4"));
}

TEST(LargeValues, OneSmallValueChangesNothingAndManyDo) {
  LargeValues values{KiB(64)};
  values.learn("a:1", 1'000'000);

  values.learn("a:2", 10);
  EXPECT_TRUE(values.is_likely("a:3"));

  for (int i = 0; i < 25; ++i) values.learn("a:2", 10);
  EXPECT_FALSE(values.is_likely("a:3"));
}

}  // namespace
}  // namespace mcsteady::upstream
