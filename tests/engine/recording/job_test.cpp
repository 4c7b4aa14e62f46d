// What launchers set is what recordings and live programs say of their job.
#include "engine/recording/job.h"

#include <cstdlib>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>

#include "engine/recording/environment.h"
#include "engine/recording/process_facts.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// The environment of a launcher, and no other's, until the end of the scope.
class Launched {
 public:
  Launched(std::initializer_list<std::pair<const char*, const char*>> variables) {
    for (const char* name : kAll) {
      if (const char* value = std::getenv(name)) before_[name] = value;
      unsetenv(name);
    }
    for (const auto& [name, value] : variables) setenv(name, value, 1);
  }
  ~Launched() {
    for (const char* name : kAll) unsetenv(name);
    for (const auto& [name, value] : before_) setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  static constexpr const char* kAll[] = {"OMPI_COMM_WORLD_RANK",
                                         "OMPI_COMM_WORLD_SIZE",
                                         "PMIX_NAMESPACE",
                                         "PMIX_RANK",
                                         "PMI_RANK",
                                         "PMI_SIZE",
                                         "PMI_JOBID",
                                         "SLURM_PROCID",
                                         "SLURM_STEP_NUM_TASKS",
                                         "SLURM_NTASKS",
                                         "SLURM_JOB_ID",
                                         "SLURM_STEP_ID",
                                         "RANK",
                                         "WORLD_SIZE",
                                         "TORCHELASTIC_RUN_ID",
                                         "MASTER_ADDR",
                                         "MASTER_PORT",
                                         "TF_CONFIG"};
  std::map<std::string, std::string> before_;
};

// "rank/size/job", each empty where it is not known.
std::string of_job() {
  record::ProgramFacts facts = record::process_facts();
  CHECK_FALSE(facts["host"].empty());
  return facts["rank"] + "/" + facts["size"] + "/" + facts["job"];
}

}  // namespace

TEST_CASE("a process knows its rank and job from whatever launched it", "[recording][job]") {
  {
    Launched alone{};
    CHECK(of_job() == "//");
    CHECK(record::recording_path("rank-%r.tape") == "rank-0.tape");
  }
  {
    Launched mpirun{{"OMPI_COMM_WORLD_RANK", "3"},  {"OMPI_COMM_WORLD_SIZE", "8"},
                    {"PMIX_NAMESPACE", "77594625"}, {"PMIX_RANK", "3"},
                    {"SLURM_PROCID", "0"},          {"SLURM_JOB_ID", "12"}};
    CHECK(of_job() == "3/8/77594625");
    CHECK(record::recording_path("rank-%r.tape") == "rank-3.tape");
  }
  {
    Launched mpich{{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}};
    CHECK(of_job() == "1/2/");
  }
  {
    Launched srun{{"SLURM_PROCID", "5"},    {"SLURM_NTASKS", "99"}, {"SLURM_STEP_NUM_TASKS", "6"},
                  {"SLURM_JOB_ID", "4711"}, {"SLURM_STEP_ID", "0"}, {"PMIX_RANK", "5"}};
    CHECK(of_job() == "5/6/4711.0");
  }
  {
    // Slurm counts the launchers of the nodes, torchrun the workers.
    Launched torchrun{{"SLURM_PROCID", "1"},   {"SLURM_JOB_ID", "12"},          {"RANK", "6"},
                      {"WORLD_SIZE", "8"},     {"TORCHELASTIC_RUN_ID", "none"}, {"MASTER_ADDR", "node1"},
                      {"MASTER_PORT", "29500"}};
    CHECK(of_job() == "6/8/node1:29500");
    CHECK(record::recording_path("%r") == "6");
  }
  {
    Launched by_hand{{"RANK", "0"}, {"WORLD_SIZE", "2"}};
    CHECK(of_job() == "0/2/");
  }
}

TEST_CASE("a task of TensorFlow's cluster has a rank", "[recording][job]") {
  const std::string cluster =
      R"({"cluster": {"worker": ["a:1", "b:2"], "ps" : ["c:3"], "chief": ["d,[4\"]:4"]}, "task": )";
  const auto task = [&](const char* text) {
    Launched with{{"TF_CONFIG", (cluster + text + "}").c_str()}};
    return of_job();
  };
  CHECK(task(R"({"type": "chief", "index": 0})") == R"(0/4/d,[4\"]:4)");
  CHECK(task(R"({"index":1,"type":"worker"})") == R"(2/4/d,[4\"]:4)");
  CHECK(task(R"({"type": "ps", "index": "0"})") == R"(3/4/d,[4\"]:4)");
  // It is no part of the cluster, or of none that it names.
  CHECK(task(R"({"type": "evaluator", "index": 0})") == "//");
  CHECK(task(R"({"type": "worker", "index": 2})") == "//");
  CHECK(task(R"({"type": "worker"})") == "//");
}

TEST_CASE("an environment that makes no sense gives no rank", "[recording][job]") {
  for (const char* config :
       {"", "{", "[]", "{\"cluster\"", "{\"cluster\":", "{\"task\": {\"type\": \"worker\\",
        "{\"cluster\": {\"worker\": [\"a\", }", "]]}}", "\"", "{\"a\":1,,}"}) {
    Launched with{{"TF_CONFIG", config}};
    CHECK(of_job() == "//");
  }
  Launched with{{"PMI_RANK", "first"}, {"PMI_SIZE", "2"}};
  CHECK(of_job() == "//");
}
