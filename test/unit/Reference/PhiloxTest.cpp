//===- PhiloxTest.cpp - Philox against its published known answers --------===//

#include "graph/Support/Philox.h"

#include <gtest/gtest.h>

using graph::philox::Counter;
using graph::philox::generate;

// The known-answer vectors that Random123 publishes for philox4x32 10.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(generate(Counter{0, 0, 0, 0}, {0, 0}),
            (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(generate(Counter{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(generate(Counter{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                     {0xa4093822, 0x299f31d0}),
            (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, SplitsElementStreamAndKeyIntoWords) {
  EXPECT_EQ(generate(/*element=*/0x85a308d3243f6a88,
                     /*stream=*/0x0370734413198a2e,
                     /*key=*/0x299f31d0a4093822),
            (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}
