// Approval tests: a text is compared with a file that was read and found good.
//
// A difference leaves NAME.received beside the approved file. TAPESCOPE_APPROVE=1 accepts what is received.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/places.h"

namespace tapescope {

// `name` is a path below the tests' folder, such as "engine/approved/explain/paused.txt".
inline void approve(const std::string& name, const std::string& text) {
  const std::filesystem::path approved = std::filesystem::path(tests_folder()) / name;
  std::filesystem::path received = approved;
  received += ".received";
  std::ifstream in(approved, std::ios::binary);
  std::stringstream known;
  known << in.rdbuf();
  if (in && known.str() == text) {
    std::filesystem::remove(received);
    SUCCEED();
    return;
  }
  const char* accept = std::getenv("TAPESCOPE_APPROVE");
  const bool accepted = accept && accept[0] == '1';
  std::filesystem::create_directories(approved.parent_path());
  std::ofstream(accepted ? approved : received, std::ios::binary) << text;
  if (accepted) {
    std::filesystem::remove(received);
    return;
  }
  INFO("differs from " << name << "; accept with TAPESCOPE_APPROVE=1 when it is right");
  CHECK(known.str() == text);
}

}  // namespace tapescope
