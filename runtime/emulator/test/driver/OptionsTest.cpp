//===- OptionsTest.cpp - Variables of the environment ---------------------===//

#include "driver/Options.h"

#include "driver/Architecture.h"

#include "gtest/gtest.h"

#include <map>

using namespace graphrt::driver;

namespace {

using Variables = std::map<std::string, std::string>;

Result<Options> parse(const Variables &variables) {
  return parseOptions([&](const char *name) -> std::optional<std::string> {
    auto it = variables.find(name);
    return it == variables.end() ? std::nullopt
                                 : std::optional<std::string>(it->second);
  });
}

TEST(Options, HaveDefaults) {
  auto options = parse({});
  ASSERT_TRUE(options);
  EXPECT_STREQ(options->architecture->name, "sm_90");
  EXPECT_EQ(options->devices, 1);
  EXPECT_EQ(options->memory, uint64_t(8) << 30);
  EXPECT_EQ(options->strategy, Strategy::Late);
  EXPECT_EQ(options->seed, 24301u);
  EXPECT_EQ(options->reportPath, "");
}

TEST(Options, AreRead) {
  auto options = parse({{"GRAPHRT_EMULATOR_ARCH", "sm_80"},
                        {"GRAPHRT_EMULATOR_DEVICES", "4"},
                        {"GRAPHRT_EMULATOR_MEMORY", "3M"},
                        {"GRAPHRT_EMULATOR_ORDER", "newest"},
                        {"GRAPHRT_EMULATOR_SEED", "18446744073709551615"},
                        {"GRAPHRT_EMULATOR_THREADS", "2"},
                        {"GRAPHRT_EMULATOR_REPORT", "report.json"}});
  ASSERT_TRUE(options);
  EXPECT_STREQ(options->architecture->name, "sm_80");
  EXPECT_EQ(options->devices, 4);
  EXPECT_EQ(options->memory, uint64_t(3) << 20);
  EXPECT_EQ(options->strategy, Strategy::Newest);
  EXPECT_EQ(options->seed, ~uint64_t(0));
  EXPECT_EQ(options->threads, 2u);
  EXPECT_EQ(options->reportPath, "report.json");
}

TEST(Options, AreChecked) {
  auto messageOf = [](const char *name, const char *value) {
    auto options = parse({{name, value}});
    return options ? std::string("none") : options.fault().message;
  };
  EXPECT_EQ(messageOf("GRAPHRT_EMULATOR_ARCH", "sm_70"),
            "GRAPHRT_EMULATOR_ARCH: found 'sm_70', expected one of sm_80, "
            "sm_90, sm_100");
  EXPECT_EQ(messageOf("GRAPHRT_EMULATOR_DEVICES", "-1"),
            "GRAPHRT_EMULATOR_DEVICES: found '-1', expected an integer from 0 "
            "to 64");
  for (const char *value : {"G", "0", "1T", "2048G", "1 G", "99999999999999G"})
    EXPECT_EQ(messageOf("GRAPHRT_EMULATOR_MEMORY", value),
              "GRAPHRT_EMULATOR_MEMORY: found '" + std::string(value) +
                  "', expected bytes, up to 1024G, with an optional suffix K, "
                  "M or G");
  EXPECT_EQ(messageOf("GRAPHRT_EMULATOR_ORDER", "early"),
            "GRAPHRT_EMULATOR_ORDER: found 'early', expected one of late, "
            "newest, random, issued");
}

TEST(Architecture, DecidesWhichModulesRun) {
  auto runs = [](const char *architecture, const char *target) {
    return !checkTarget(*findArchitecture(architecture), target);
  };
  EXPECT_TRUE(runs("sm_90", "sm_80"));
  EXPECT_TRUE(runs("sm_90", "sm_90"));
  EXPECT_TRUE(runs("sm_90", "sm_90a"));
  EXPECT_TRUE(runs("sm_100", "sm_100f"));
  EXPECT_TRUE(runs("sm_100", "sm_90"));
  EXPECT_FALSE(runs("sm_90", "sm_100"));
  EXPECT_FALSE(runs("sm_100", "sm_90a"));
  EXPECT_FALSE(runs("sm_80", "sm_90"));
  EXPECT_FALSE(runs("sm_100", "sm_103f"));
  Outcome outcome = checkTarget(*findArchitecture("sm_90"), "compute_90");
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome.fault().message,
            "found .target compute_90, expected sm_<N>");
}

} // namespace
