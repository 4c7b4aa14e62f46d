// Files by the paths that the compiler was given.
#include "engine/debug/program_text.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <system_error>

#include "engine/core/names.h"

namespace tapescope {
namespace {

constexpr std::uintmax_t kLargest = 8u << 20;  // bytes of a file

}  // namespace

bool of_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

std::string program_text(std::string_view file) {
  const std::map<std::string, std::string> paths = source_paths();
  const auto path = paths.find(std::string(file));
  std::error_code failed;
  if (path == paths.end() || !std::filesystem::is_regular_file(path->second, failed) || failed) return {};
  if (std::filesystem::file_size(path->second, failed) > kLargest || failed) return {};
  std::ifstream in(path->second, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string code_of(std::string_view program) {
  std::string code(program);
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, code.size()); ++i) {
      if (code[i] != '\n') code[i] = ' ';
    }
  };
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool pair = i + 1 < code.size() && code[i] == '/';
    if (pair && code[i + 1] == '/') {
      const std::size_t end = std::min(code.find('\n', i), code.size());
      blank(i, end);
      i = end;
    } else if (pair && code[i + 1] == '*') {
      const std::size_t end = std::min(code.find("*/", i + 2), code.size());
      blank(i, end + 2);
      i = end + 1;
    } else if (code[i] == '"' || (code[i] == '\'' && (i == 0 || !of_word(code[i - 1])))) {  // 1'000 has none
      std::size_t end = i + 1;
      while (end < code.size() && code[end] != code[i] && code[end] != '\n') end += code[end] == '\\' ? 2 : 1;
      blank(i + 1, end);
      i = end;
    }
  }
  return code;
}

}  // namespace tapescope
