//===- Module.cpp - Decoded PTX -------------------------------------------===//

#include "ptx/Module.h"

#include "ptx/Lexer.h"
#include "ptx/Parser.h"

using namespace graphrt;
using namespace graphrt::ptx;

Expected<std::shared_ptr<const Module>> Module::parse(std::string_view text) {
  auto module = std::make_shared<Module>();
  module->text = text.substr(0, text.find('\0'));
  module->lineStarts = {0};
  for (size_t index = 0; index < module->text.size(); ++index)
    if (module->text[index] == '\n')
      module->lineStarts.push_back(index + 1);
  Expected<std::vector<Token>> tokens = tokenize(module->text);
  if (!tokens)
    return std::move(tokens.failure());
  if (Status bad = Parser(*tokens, *module).run())
    return std::move(bad.failure());
  return std::shared_ptr<const Module>(std::move(module));
}

const Kernel *Module::findKernel(std::string_view name) const {
  for (const std::unique_ptr<Kernel> &kernel : kernels)
    if (kernel->name == name)
      return kernel.get();
  return nullptr;
}

std::string_view Module::line(uint32_t number) const {
  if (number == 0 || number > lineStarts.size())
    return {};
  std::string_view line = std::string_view(text).substr(lineStarts[number - 1]);
  line = line.substr(0, line.find('\n'));
  size_t first = line.find_first_not_of(" \t\r");
  if (first == line.npos)
    return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}
