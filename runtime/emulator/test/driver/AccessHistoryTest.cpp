//===- AccessHistoryTest.cpp - Races between operations -------------------===//

#include "driver/AccessHistory.h"

#include "gtest/gtest.h"

using namespace graphrt::driver;

namespace {

/// An operation that happens after those it names.
struct Step {
  OperationNameRef name;
  Clock before;

  Step(LaneId lane, uint64_t sequence,
       std::initializer_list<const Step *> after = {})
      : name(std::make_shared<OperationName>(
            OperationName{"operation", {lane, sequence}})) {
    for (const Step *step : after) {
      before.join(step->before);
      before.add(step->name->moment);
    }
  }
};

class AccessHistoryTest : public testing::Test {
protected:
  bool conflicts(const Step &step, ByteRange range, bool isWrite) {
    last = history.record(step.name, step.before, range, isWrite);
    return last.has_value();
  }
  bool write(const Step &step, uint64_t begin, uint64_t end) {
    return conflicts(step, {begin, end}, true);
  }
  bool read(const Step &step, uint64_t begin, uint64_t end) {
    return conflicts(step, {begin, end}, false);
  }

  AccessHistory history;
  std::optional<AccessHistory::Conflict> last;
};

TEST_F(AccessHistoryTest, FindsUnorderedPairsWithAWrite) {
  Step first(0, 1), second(1, 1), third(2, 1);
  EXPECT_FALSE(write(first, 0, 64));
  EXPECT_TRUE(read(second, 0, 64));
  EXPECT_EQ(last->other, first.name);
  EXPECT_TRUE(last->otherWrites);
  EXPECT_TRUE(write(third, 32, 96));
}

TEST_F(AccessHistoryTest, FindsAWriteAfterAnUnorderedRead) {
  Step writer(0, 1), reader(1, 1, {&writer}), second(0, 2, {&writer});
  EXPECT_FALSE(write(writer, 0, 64));
  EXPECT_FALSE(read(reader, 0, 64));
  EXPECT_TRUE(write(second, 0, 64));
  EXPECT_EQ(last->other, reader.name);
  EXPECT_FALSE(last->otherWrites);
}

TEST_F(AccessHistoryTest, AcceptsOrderThroughOthers) {
  Step a(0, 1), b(1, 1, {&a}), c(2, 1, {&b});
  EXPECT_FALSE(write(a, 0, 64));
  EXPECT_FALSE(write(c, 0, 64));
}

TEST_F(AccessHistoryTest, AcceptsAnOperationThatReadsWhatItWrites) {
  Step a(0, 1), b(1, 1);
  EXPECT_FALSE(read(a, 0, 64));
  EXPECT_FALSE(write(a, 32, 96));
  EXPECT_FALSE(read(a, 0, 96));
  EXPECT_TRUE(read(b, 32, 33));
}

TEST_F(AccessHistoryTest, AcceptsUnorderedReads) {
  Step a(0, 1), b(1, 1, {&a}), c(2, 1, {&a}), d(3, 1, {&b, &c});
  EXPECT_FALSE(write(a, 0, 64));
  EXPECT_FALSE(read(b, 0, 64));
  EXPECT_FALSE(read(c, 16, 48));
  EXPECT_FALSE(write(d, 0, 64));
}

TEST_F(AccessHistoryTest, RemembersAllUnorderedReaders) {
  Step a(0, 1), b(1, 1, {&a}), c(2, 1, {&a}), d(3, 1, {&c});
  EXPECT_FALSE(write(a, 0, 64));
  EXPECT_FALSE(read(b, 0, 64));
  EXPECT_FALSE(read(c, 16, 48));
  EXPECT_FALSE(write(d, 64, 80));
  EXPECT_TRUE(write(d, 0, 17));
  EXPECT_EQ(last->other, b.name);
}

TEST_F(AccessHistoryTest, IsExactToTheByte) {
  Step a(0, 1), b(1, 1);
  EXPECT_FALSE(write(a, 0, 10));
  EXPECT_FALSE(write(a, 20, 30));
  EXPECT_FALSE(write(b, 10, 20));
  EXPECT_FALSE(write(b, 30, 31));
  EXPECT_TRUE(read(b, 8, 12));
  EXPECT_EQ(last->range.begin, 8u);
  EXPECT_EQ(last->range.end, 10u);
}

TEST_F(AccessHistoryTest, ForgetsPartsOfRanges) {
  Step a(0, 1), b(1, 1);
  EXPECT_FALSE(write(a, 0, 30));
  history.forget({10, 20});
  EXPECT_FALSE(write(b, 10, 20));
  EXPECT_TRUE(write(b, 9, 10));
  EXPECT_TRUE(write(b, 20, 21));
}

} // namespace
