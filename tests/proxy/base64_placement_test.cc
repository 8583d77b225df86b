// A key in base64 is the item that its bytes name, and belongs to the server that they belong to.

#include <array>

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

struct Key {
  std::string bytes, base64;
};
const std::array<Key, 5> kKeys = {{{"\xc3\xa4", "w6Q="},
                                   {"a b", "YSBi"},
                                   {"green key", "Z3JlZW4ga2V5"},
                                   {"\xff\xfe\xfd", "//79"},
                                   {std::string(1, '\0'), "AA=="}}};

class Base64Placement : public WorkerTest {
 protected:
  /// Whether the key, stored by its base64 form, is on the server that `text` belongs to, which is
  /// also where it is read from.
  bool is_placed_by(const std::string& text, const Key& key) {
    EXPECT_EQ(ask("ms " + key.base64 + " 1 b\r\nx\r\n"), "HD\r\n");
    EXPECT_EQ(ask("mg " + key.base64 + " b v\r\n"), "VA 1\r\nx\r\n");
    const std::size_t home = placement::make_placement(pool.placement, nodes())->place(text);
    return servers[home]->items().value(key.bytes).has_value();
  }

 private:
  std::vector<placement::Node> nodes() const {
    std::vector<placement::Node> list;
    for (std::size_t i = 0; i < servers.size(); ++i) {
      list.push_back({.host = place_of(i).host, .port = place_of(i).port});
    }
    return list;
  }
};

TEST_F(Base64Placement, GoesByTheBytesOfTheKey) {
  start(16);

  for (const Key& key : kKeys) EXPECT_TRUE(is_placed_by(key.bytes, key)) << key.base64;
}

TEST_F(Base64Placement, GoesByTheTextWhereTheOneBeforeUsDid) {
  pool.placement.decodes_base64 = false;
  start(16);

  for (const Key& key : kKeys) EXPECT_TRUE(is_placed_by(key.base64, key)) << key.base64;
}

}  // namespace
}  // namespace mcsteady::test
