//===- Handles.cpp - The objects behind the driver's handles --------------===//

#include "Handles.h"

using namespace graphrt::driver;

const char *graphrt::driver::nameOf(HandleKind kind) {
  switch (kind) {
  case HandleKind::Context:
    return "a context";
  case HandleKind::Module:
    return "a module";
  case HandleKind::Function:
    return "a function";
  case HandleKind::Stream:
    return "a stream";
  case HandleKind::Event:
    return "an event";
  case HandleKind::Graph:
    return "a graph";
  case HandleKind::GraphExec:
    return "an executable graph";
  case HandleKind::MemoryPool:
    return "a memory pool";
  }
  return nullptr;
}

std::string graphrt::driver::describeBadHandle(uint64_t value, HandleKind kind,
                                               uint64_t owner,
                                               uint64_t created) {
  std::string expected = std::string(", expected ") + nameOf(kind);
  if (value == 0)
    return "found a null handle" + expected;
  const char *found = nameOf(HandleKind(value >> 60));
  if (!found)
    return "found a value that is no handle" + expected;
  if (HandleKind(value >> 60) != kind)
    return std::string("found the handle of ") + found + expected;
  if ((value >> 44 & 0xffff) != owner)
    return std::string("found ") + found + " of another context" + expected +
           " of the current one";
  uint64_t number = value >> 4 & 0xffffffffff;
  if (number == 0 || number > created)
    return "found a value that is no handle" + expected;
  return std::string("found ") + found + " that is destroyed (number " +
         std::to_string(number) + ")" + expected;
}
