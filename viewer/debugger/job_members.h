// The ranks of a job that can be looked at: running processes that listen, or their recordings.
#pragma once
#include <string>
#include <vector>

#include "engine/live/place.h"

namespace tapescope {

struct JobMembers {
  std::vector<std::string> attach;  // sockets of processes, by rank
  std::vector<std::string> open;    // recordings, by name
};

// Of running processes those with a rank whose job or name is `name`, and which no window has. Else
// recordings: `name` is then a folder of them, or a name with %r, %h or %p in place of rank, host and
// process, or a pattern with *. Throws Error (surroundings) where there is neither.
JobMembers members_of_job(const std::string& name);

// Jobs of which several ranks are among these, each with its ranks; in the order of their first.
struct LiveJob {
  std::string name;                      // what members_of_job() finds them by
  std::string program;                   // name of its first process
  std::vector<std::uint64_t> processes;  // by rank
  std::uint64_t size = 0;                // as the launcher says; 0: unknown
  bool taken = false;                    // a window has one of them
};
std::vector<LiveJob> live_jobs(const std::vector<live::Listener>& listeners);

}  // namespace tapescope
