//===- UserError.h - A mistake of the user ----------------------*- C++ -*-===//

#ifndef GRAPHRT_TOOLS_GRAPHRUN_USERERROR_H
#define GRAPHRT_TOOLS_GRAPHRUN_USERERROR_H

#include <stdexcept>

namespace graphrt::run {

/// A mistake of the user; what() is one sentence without a full stop.
class UserError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace graphrt::run

#endif // GRAPHRT_TOOLS_GRAPHRUN_USERERROR_H
