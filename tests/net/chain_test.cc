#include "mcsteady/net/chain.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <string>
#include <utility>

namespace mcsteady::net {
namespace {

class ChainTest : public testing::Test {
 protected:
  Block filled(std::size_t capacity, std::string_view content) {
    Block block = pool_.allocate(capacity);
    std::memset(block.data(), '#', block.capacity());
    content.copy(block.data(), content.size());
    return block;
  }
  static std::string content(const Chain& chain) {
    std::array<iovec, 1000> pieces;
    const std::size_t count = chain.gather(pieces);
    std::string all;
    for (std::size_t i = 0; i < count; ++i) {
      all.append(static_cast<const char*>(pieces[i].iov_base), pieces[i].iov_len);
    }
    return all;
  }
  static std::size_t pieces(const Chain& chain) {
    std::array<iovec, 1000> pieces;
    return chain.gather(pieces);
  }

  MemoryBudget budget_{MiB(4)};
  BlockPool pool_{budget_};
  Chain chain_{pool_};
};

TEST_F(ChainTest, HoldsNoMemoryWhileEmpty) {
  EXPECT_TRUE(chain_.empty());
  EXPECT_EQ(chain_.memory(), 0U);
  EXPECT_EQ(pool_.in_use(), 0U);
}

TEST_F(ChainTest, CopiesSmallThingsIntoOneBlock) {
  chain_.append_copy("VALUE a 0 1\r\n");
  chain_.append_copy("x\r\n");
  chain_.append_copy("END\r\n");

  EXPECT_EQ(content(chain_), "VALUE a 0 1\r\nx\r\nEND\r\n");
  EXPECT_EQ(pieces(chain_), 1U);
  EXPECT_EQ(chain_.memory(), 512U);
}

TEST_F(ChainTest, FillsTheLastBlockBeforeItTakesTheNext) {
  chain_.append_copy(std::string(500, 'a'));
  chain_.append_copy(std::string(20, 'b'));

  std::array<iovec, 4> out;
  ASSERT_EQ(chain_.gather(out), 2U);
  EXPECT_EQ(out[0].iov_len, 512U);
  EXPECT_EQ(content(chain_), std::string(500, 'a') + std::string(20, 'b'));
}

TEST_F(ChainTest, TakesLargerBlocksAsItGrows) {
  for (int i = 0; i < 800; ++i) ASSERT_TRUE(chain_.append_copy(std::string(100, 'x')));

  EXPECT_EQ(chain_.size(), 80000U);
  EXPECT_EQ(pieces(chain_), 4U);
  EXPECT_EQ(chain_.memory(), 512U + 2048 + 16384 + 65536);
}

TEST_F(ChainTest, CopiesALongThingIntoOneBlockOfItsSize) {
  chain_.append_copy(std::string(100000, 'x'));

  EXPECT_EQ(pieces(chain_), 1U);
  EXPECT_EQ(chain_.memory(), 100000U);
}

TEST_F(ChainTest, LinksALargeBlockWithoutCopyingIt) {
  Block block = filled(65536, "value\r\n");
  const char* place = block.data();

  chain_.append(std::move(block), 7);

  std::array<iovec, 1> out;
  ASSERT_EQ(chain_.gather(out), 1U);
  EXPECT_EQ(out[0].iov_base, place);
  EXPECT_EQ(out[0].iov_len, 7U);
}

TEST_F(ChainTest, NeverWritesIntoALinkedBlock) {
  Block block = filled(65536, "value\r\n");
  const char* place = block.data();
  chain_.append(std::move(block), 7);

  chain_.append_copy("END\r\n");

  EXPECT_EQ(content(chain_), "value\r\nEND\r\n");
  EXPECT_EQ(place[7], '#');
}

TEST_F(ChainTest, TakesASmallBlockForALineBehindALargeValue) {
  chain_.append(filled(65536, ""), 65536);
  chain_.append_copy("END\r\n");

  EXPECT_EQ(chain_.memory(), 65536U + 512);
}

TEST_F(ChainTest, DropsALinkedBlockWithoutContent) {
  chain_.append(filled(512, ""), 0);

  EXPECT_TRUE(chain_.empty());
  EXPECT_EQ(pool_.in_use(), 0U);
}

TEST_F(ChainTest, ReleasesABlockAsSoonAsItIsSpent) {
  chain_.append(filled(2048, ""), 1000);
  chain_.append(filled(65536, ""), 60000);

  chain_.consume(1000);

  EXPECT_EQ(chain_.memory(), 65536U);
  EXPECT_EQ(pool_.in_use(), 65536U);
}

TEST_F(ChainTest, HoldsNoMemoryOnceAllIsConsumed) {
  chain_.append_copy("STORED\r\n");
  chain_.append(filled(65536, ""), 60000);

  chain_.consume(chain_.size());

  EXPECT_EQ(chain_.memory(), 0U);
  EXPECT_EQ(pool_.in_use(), 0U);
}

TEST_F(ChainTest, GathersFromWhereItWasConsumedTo) {
  chain_.append_copy("STORED\r\n");

  chain_.consume(3);

  EXPECT_EQ(content(chain_), "RED\r\n");
}

TEST_F(ChainTest, GathersNoMorePiecesThanFit) {
  for (int i = 0; i < 10; ++i) chain_.append(filled(512, "x"), 1);

  std::array<iovec, 4> out;
  EXPECT_EQ(chain_.gather(out), 4U);
}

TEST_F(ChainTest, AppendsNothingWhereTheCeilingDoesNotAllowAll) {
  MemoryBudget small(ByteCount{512});
  BlockPool pool(small);
  Chain chain(pool);
  ASSERT_TRUE(chain.append_copy(std::string(500, 'a')));

  EXPECT_FALSE(chain.append_copy(std::string(20, 'b')));
  EXPECT_EQ(content(chain), std::string(500, 'a'));
}

TEST_F(ChainTest, TakesASmallerBlockWhereTheCeilingIsNear) {
  MemoryBudget small(ByteCount{1024});
  BlockPool pool(small);
  Chain chain(pool);
  ASSERT_TRUE(chain.append_copy(std::string(512, 'a')));

  EXPECT_TRUE(chain.append_copy("b"));
  EXPECT_EQ(chain.memory(), 1024U);
}

TEST_F(ChainTest, CopiesAShortChainIntoItsLastBlock) {
  Chain other(pool_);
  other.append_copy("second");
  chain_.append_copy("first ");

  chain_.append(std::move(other));

  EXPECT_EQ(content(chain_), "first second");
  EXPECT_EQ(pool_.in_use(), 512U);
}

TEST_F(ChainTest, MovesALongChainWithoutCopyingIt) {
  Chain other(pool_);
  Block block = filled(65536, "");
  const char* place = block.data();
  other.append(std::move(block), 60000);
  chain_.append_copy("first ");

  chain_.append(std::move(other));

  std::array<iovec, 4> out;
  ASSERT_EQ(chain_.gather(out), 2U);
  EXPECT_EQ(out[1].iov_base, place);
  EXPECT_EQ(chain_.memory(), 512U + 65536);
}

TEST_F(ChainTest, LeavesAMovedChainEmpty) {
  Chain other(pool_);
  other.append_copy(std::string(5000, 'x'));

  chain_.append(std::move(other));

  EXPECT_TRUE(other.empty());  // NOLINT(bugprone-use-after-move): says what it is then
  EXPECT_EQ(other.memory(), 0U);
  EXPECT_EQ(chain_.size(), 5000U);
}

TEST_F(ChainTest, AgreesWithAStringWhateverIsDoneToIt) {
  std::mt19937 random(1);
  std::string model;
  for (int step = 0; step < 20000; ++step) {
    const std::size_t size = random() % 3 == 0 ? random() % 5000 : random() % 60;
    const std::string bytes(size, static_cast<char>('a' + random() % 26));
    switch (random() % 4) {
      case 0:
        chain_.append_copy(bytes);
        model += bytes;
        break;
      case 1:
        chain_.append(filled(size, bytes), size);
        model += bytes;
        break;
      case 2: {
        Chain other(pool_);
        other.append_copy(bytes);
        other.append_copy("!");
        chain_.append(std::move(other));
        model += bytes + "!";
        break;
      }
      default: {
        const std::size_t count = std::min(model.size(), std::size_t{random() % 5000});
        chain_.consume(count);
        model.erase(0, count);
      }
    }
    ASSERT_EQ(chain_.size(), model.size());
    ASSERT_EQ(chain_.memory(), pool_.in_use());
  }
  EXPECT_EQ(content(chain_), model);
}

}  // namespace
}  // namespace mcsteady::net
