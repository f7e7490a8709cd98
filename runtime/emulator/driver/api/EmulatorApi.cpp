//===- EmulatorApi.cpp - Functions that only the emulator has -------------===//

#include "graphrt/emulator.h"

#include "driver/Driver.h"

#include <cstring>

using namespace graphrt::driver;

const char *graphrt_emulator_last_fault(void) {
  static thread_local std::string text;
  Driver &driver = Driver::instance();
  std::lock_guard lock(driver.mutex);
  text = driver.lastFault();
  return text.c_str();
}

size_t graphrt_emulator_report(char *text, size_t size) {
  Driver &driver = Driver::instance();
  std::lock_guard lock(driver.mutex);
  std::string report = driver.reportText();
  if (size > 0) {
    size_t copied = std::min(size - 1, report.size());
    std::memcpy(text, report.data(), copied);
    text[copied] = 0;
  }
  return report.size() + 1;
}

void graphrt_emulator_reset(void) {
  Driver &driver = Driver::instance();
  std::lock_guard lock(driver.mutex);
  driver.reset();
}
