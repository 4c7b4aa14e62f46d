// Machine code of loops kept in a folder, so that the next process need not make it again.
//
// Code is read from the folder and run: the folder and its files have to belong to this user and be writable
// by this user alone. Files that are damaged, or that another build or processor wrote, are passed over.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace tapescope::kernels {

class CodeCache {
 public:
  // The folder is made where it is missing. Throws Error where it cannot be used.
  explicit CodeCache(std::string folder);

  // The object file kept under the key; empty where there is none.
  std::string find(std::string_view key) const;
  // Ignored where it fails: the code is made again in the next process. The oldest files go when the folder
  // holds more than `most_bytes`.
  void keep(std::string_view key, std::string_view object, std::uint64_t most_bytes = 64 << 20) const;

  // That of TAPESCOPE_CODE_CACHE; null where the variable is not set, or its folder cannot be used, which a
  // line of standard error says once.
  static const CodeCache* of_environment();

 private:
  std::string path_of(std::string_view key) const;

  std::string folder_;
};

}  // namespace tapescope::kernels
