// By what listeners say of themselves; recordings by their names alone, as opening them says the rest.
#include "viewer/debugger/job_members.h"

#include <glob.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "engine/core/error.h"

namespace tapescope {
namespace {

std::vector<const live::Listener*> by_rank(const std::vector<live::Listener>& listeners,
                                           const std::string& name) {
  std::vector<const live::Listener*> found;
  for (const live::Listener& one : listeners) {
    const live::Greeting& greeting = one.greeting;
    if (one.problem.empty() && greeting.rank && (greeting.job == name || greeting.name == name))
      found.push_back(&one);
  }
  std::sort(found.begin(), found.end(), [](const live::Listener* a, const live::Listener* b) {
    return *a->greeting.rank < *b->greeting.rank;
  });
  return found;
}

std::vector<std::string> recordings(const std::string& name) {
  std::string pattern = name;
  std::error_code ignored;
  if (std::filesystem::is_directory(name, ignored)) pattern += "/*.tape";
  for (const char* place : {"%r", "%h", "%p"}) {
    for (std::size_t at = pattern.find(place); at != std::string::npos; at = pattern.find(place))
      pattern.replace(at, 2, "*");
  }
  std::vector<std::string> found;
  glob_t matches{};
  if (glob(pattern.c_str(), GLOB_TILDE, nullptr, &matches) == 0) {
    for (std::size_t i = 0; i < matches.gl_pathc; ++i) found.emplace_back(matches.gl_pathv[i]);
  }
  globfree(&matches);
  // rank-2 before rank-10.
  std::stable_sort(found.begin(), found.end(),
                   [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
  return found;
}

}  // namespace

JobMembers members_of_job(const std::string& name) {
  JobMembers members;
  const auto listeners = live::listeners();
  const auto found = by_rank(listeners, name);
  for (const live::Listener* one : found) {
    if (one->greeting.attached == 0) members.attach.push_back(one->path);
  }
  if (members.attach.empty()) members.open = recordings(name);
  if (!members.attach.empty() || !members.open.empty()) return members;
  if (!found.empty())
    throw Error(ErrorKind::surroundings,
                fmt::format("all {} processes of {} are attached to by other windows", found.size(), name));
  throw Error(
      ErrorKind::surroundings,
      fmt::format("no process of a job called {} listens, and there are no recordings of that name; start "
                  "its processes with TAPESCOPE_LISTEN=1, or give a folder of recordings or 'rank-%r.tape'",
                  name));
}

std::vector<LiveJob> live_jobs(const std::vector<live::Listener>& listeners) {
  std::vector<LiveJob> jobs;
  for (const live::Listener& one : listeners) {
    const live::Greeting& greeting = one.greeting;
    if (!greeting.rank || greeting.job.empty()) continue;
    const auto known =
        std::any_of(jobs.begin(), jobs.end(), [&](const LiveJob& job) { return job.name == greeting.job; });
    if (known) continue;
    LiveJob job{.name = greeting.job, .program = greeting.name, .size = greeting.size};
    for (const live::Listener* member : by_rank(listeners, greeting.job)) {
      job.processes.push_back(member->pid);
      job.taken |= member->greeting.attached != 0;
    }
    if (job.processes.size() > 1) jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace tapescope
