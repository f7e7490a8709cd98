//===- Precompiled.h - Headers that most sources include --------*- C++ -*-===//
//
// Only to build faster: a source includes what it uses itself.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_PRECOMPILED_H
#define GRAPHRT_PRECOMPILED_H

#include "graphrt/artifact/program_generated.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#endif // GRAPHRT_PRECOMPILED_H
