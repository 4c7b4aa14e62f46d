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
