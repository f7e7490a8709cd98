//===- SchedulerTest.cpp - Orders of queued operations --------------------===//

#include "driver/Scheduler.h"

#include "driver/Works.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <set>

using namespace graphrt::driver;

namespace {

class SchedulerTest : public testing::TestWithParam<Strategy> {
protected:
  OperationRef add(Scheduler &scheduler, Lane &lane, const std::string &name,
                   std::vector<OperationRef> after = {}) {
    return scheduler.submit(lane, lane.id, std::make_shared<MarkerWork>(name),
                            after);
  }

  /// Positions in the order of execution.
  size_t positionOf(const std::string &name) {
    return std::ranges::find(order, name) - order.begin();
  }

  Scheduler makeScheduler(Strategy strategy, uint64_t seed = 1) {
    return Scheduler(strategy, seed, [this](Operation &operation) -> Outcome {
      order.push_back(operation.work->describe());
      if (order.back() == "faulty")
        return Fault{CUDA_ERROR_LAUNCH_FAILED, "faulty"};
      return {};
    });
  }

  std::vector<std::string> order;
};

TEST_P(SchedulerTest, RespectsLanesAndPredecessors) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    order.clear();
    Scheduler scheduler = makeScheduler(GetParam(), seed);
    Lane one = scheduler.makeLane(), two = scheduler.makeLane();
    OperationRef a = add(scheduler, one, "a");
    add(scheduler, one, "b");
    add(scheduler, two, "c", {a});
    OperationRef d = add(scheduler, two, "d");
    OperationRef e = add(scheduler, one, "e", {d});
    EXPECT_TRUE(order.empty());
    EXPECT_FALSE(scheduler.finish(e));
    EXPECT_EQ(order.size(), 5u);
    EXPECT_LT(positionOf("a"), positionOf("b"));
    EXPECT_LT(positionOf("a"), positionOf("c"));
    EXPECT_LT(positionOf("c"), positionOf("d"));
    EXPECT_EQ(positionOf("e"), 4u);
    EXPECT_TRUE(scheduler.isQuiet());
  }
}

INSTANTIATE_TEST_SUITE_P(All, SchedulerTest,
                         testing::Values(Strategy::Late, Strategy::Newest,
                                         Strategy::Random, Strategy::Issued));

TEST_F(SchedulerTest, LateRunsOnlyWhatIsAwaited) {
  Scheduler scheduler = makeScheduler(Strategy::Late);
  Lane one = scheduler.makeLane(), two = scheduler.makeLane();
  add(scheduler, one, "a");
  OperationRef b = add(scheduler, two, "b");
  add(scheduler, two, "c");
  EXPECT_FALSE(scheduler.finish(b));
  EXPECT_EQ(order, std::vector<std::string>{"b"});
  EXPECT_FALSE(scheduler.isQuiet());
  EXPECT_FALSE(scheduler.finishAll());
  EXPECT_EQ(order.size(), 3u);
}

TEST_F(SchedulerTest, NewestRunsTheOtherStreamsFirst) {
  Scheduler scheduler = makeScheduler(Strategy::Newest);
  Lane one = scheduler.makeLane(), two = scheduler.makeLane();
  OperationRef a = add(scheduler, one, "a");
  add(scheduler, two, "b");
  add(scheduler, two, "c");
  EXPECT_FALSE(scheduler.finish(a));
  EXPECT_EQ(order, (std::vector<std::string>{"b", "c", "a"}));
}

TEST_F(SchedulerTest, IssuedFollowsTheSubmission) {
  Scheduler scheduler = makeScheduler(Strategy::Issued);
  Lane one = scheduler.makeLane(), two = scheduler.makeLane();
  add(scheduler, two, "a");
  add(scheduler, one, "b");
  OperationRef c = add(scheduler, two, "c");
  EXPECT_FALSE(scheduler.finish(c));
  EXPECT_EQ(order, (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(SchedulerTest, TheSeedChoosesAmongOrders) {
  std::set<std::vector<std::string>> orders;
  for (int run = 0; run < 2; ++run)
    for (uint64_t seed = 0; seed < 50; ++seed) {
      order.clear();
      Scheduler scheduler = makeScheduler(Strategy::Late, seed);
      Lane lanes[3] = {scheduler.makeLane(), scheduler.makeLane(),
                       scheduler.makeLane()};
      OperationRef a = add(scheduler, lanes[0], "a");
      OperationRef b = add(scheduler, lanes[1], "b");
      EXPECT_FALSE(scheduler.finish(add(scheduler, lanes[2], "c", {a, b})));
      orders.insert(order);
    }
  EXPECT_EQ(orders.size(), 2u);
}

TEST_F(SchedulerTest, WhatTheHostKnowsIsOrderedBeforeWhatItSubmits) {
  Scheduler scheduler = makeScheduler(Strategy::Late);
  Lane one = scheduler.makeLane(), two = scheduler.makeLane();
  OperationRef a = add(scheduler, one, "a");
  OperationRef b = add(scheduler, two, "b");
  EXPECT_FALSE(b->before.includes(a->name->moment));
  EXPECT_FALSE(scheduler.finish(a));
  OperationRef c = add(scheduler, two, "c");
  EXPECT_TRUE(c->before.includes(a->name->moment));
}

TEST_F(SchedulerTest, StopsAtAFault) {
  Scheduler scheduler = makeScheduler(Strategy::Late);
  Lane lane = scheduler.makeLane();
  add(scheduler, lane, "faulty");
  OperationRef b = add(scheduler, lane, "b");
  Outcome outcome = scheduler.finish(b);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome.fault().code, CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(order.size(), 1u);
}

} // namespace
