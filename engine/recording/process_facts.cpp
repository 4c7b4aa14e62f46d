// Facts that were set stand beside those that every process has; each reader gets a copy.
#include "engine/recording/process_facts.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <fstream>
#include <mutex>

#include "engine/core/names.h"
#include "engine/recording/job.h"

namespace tapescope::record {
namespace {

struct SetFacts {
  std::mutex mutex;
  ProgramFacts facts;
};
SetFacts& set_facts() {
  static SetFacts* instance = new SetFacts;
  return *instance;
}

}  // namespace

void set_process_fact(const std::string& key, const std::string& value) {
  SetFacts& set = set_facts();
  std::lock_guard lock(set.mutex);
  set.facts[key] = value;
}

std::string source_mark(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) return {};
  return fmt::format("{} {} {}.{:09}", file.st_ino, file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
}

ProgramFacts facts_that_were_set() {
  SetFacts& set = set_facts();
  ProgramFacts facts;
  for (const auto& [name, path] : source_paths()) {
    facts[std::string(kSourceFact) + name] = path;
    if (std::string mark = source_mark(path); !mark.empty())
      facts[std::string(kSourceMarkFact) + name] = std::move(mark);
  }
  std::lock_guard lock(set.mutex);
  facts.insert(set.facts.begin(), set.facts.end());
  return facts;
}

std::string framework_text(const ProgramFacts& facts) {
  const auto framework = facts.find("framework");
  if (framework == facts.end() || framework->second.empty()) return {};
  std::string text = framework->second == "tensorflow" ? "TensorFlow"
                     : framework->second == "torch"    ? "PyTorch"
                                                       : framework->second;
  const auto version = facts.find("version");
  if (version == facts.end()) return text;
  // The first two numbers: 2.13 of 2.13.0+cpu.
  const std::size_t dot = version->second.find('.');
  const std::size_t end =
      dot == std::string::npos ? dot : version->second.find_first_not_of("0123456789", dot + 1);
  return text + " " + version->second.substr(0, end);
}

ProgramFacts process_facts() {
  ProgramFacts facts{{"name", program_invocation_short_name},
                     {"pid", std::to_string(getpid())},
                     {"started", std::to_string(std::time(nullptr))}};
  facts.merge(job_facts());
  // Ticks count from the machine's start; the kernel names each start of each machine.
  if (std::string boot; std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot))
    facts["boot"] = boot;
  for (const auto& [key, value] : facts_that_were_set()) facts[key] = value;
  return facts;
}

}  // namespace tapescope::record
