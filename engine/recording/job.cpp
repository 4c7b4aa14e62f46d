// One row a launcher; TF_CONFIG, which is JSON, is read by hand, as the engine needs JSON for nothing else.
#include "engine/recording/job.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

namespace tapescope::record {
namespace {

std::string variable(const char* name) {
  const char* value = name ? std::getenv(name) : nullptr;
  return value ? value : "";
}

bool is_count(std::string_view text) {
  unsigned value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  return wrong == std::errc() && end == text.data() + text.size();
}

struct Launcher {
  const char *mark, *rank, *size, *job, *part;  // where `mark` is set; `part` of a job is started on its own
};
constexpr Launcher kLaunchers[] = {
    {"TORCHELASTIC_RUN_ID", "RANK", "WORLD_SIZE", "TORCHELASTIC_RUN_ID", nullptr},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE", nullptr},
    {"PMI_RANK", "PMI_RANK", "PMI_SIZE", "PMI_JOBID", nullptr},
    {"SLURM_PROCID", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_JOB_ID", "SLURM_STEP_ID"},
    {"PMIX_RANK", "PMIX_RANK", nullptr, "PMIX_NAMESPACE", nullptr},
    {"RANK", "RANK", "WORLD_SIZE", nullptr, nullptr},
};

// Just enough of JSON: where values end, and what texts say but for their escapes.
class Json {
 public:
  explicit Json(std::string_view text) : text_(text) { skip_blanks(); }
  // Of an object; empty where there is none.
  std::string_view member(std::string_view name) const {
    Json in(text_);
    if (!in.take('{')) return {};
    while (!in.text_.empty() && in.text_[0] == '"') {
      const std::string_view key = in.value();
      if (!in.take(':')) return {};
      const std::string_view value = in.value();
      if (key.size() >= 2 && key.substr(1, key.size() - 2) == name) return value;
      if (!in.take(',')) return {};
    }
    return {};
  }
  // Of a list.
  std::vector<std::string_view> elements() const {
    Json in(text_);
    std::vector<std::string_view> all;
    if (!in.take('[')) return all;
    while (!in.text_.empty() && in.text_[0] != ']') {
      all.push_back(in.value());
      if (!in.take(',')) break;
    }
    return all;
  }

 private:
  void skip_blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size())); }
  bool take(char c) {
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    skip_blanks();
    return true;
  }
  // With the brackets or quotes around it.
  std::string_view value() {
    std::size_t end = 0;
    int depth = 0;
    bool quoted = false;
    for (; end < text_.size(); ++end) {
      const char c = text_[end];
      if (quoted) {
        if (c == '\\') ++end;
        else if (c == '"') quoted = false;
        continue;
      }
      if (depth == 0 && end > 0 && (c == ',' || c == ':' || c == ']' || c == '}')) break;
      if (c == '"') quoted = true;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
    }
    std::string_view found = text_.substr(0, std::min(end, text_.size()));
    text_.remove_prefix(found.size());
    while (!found.empty() && std::string_view(" \t\r\n").find(found.back()) != std::string_view::npos)
      found.remove_suffix(1);
    return found;
  }

  std::string_view text_;
};

std::string_view unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"') return text;
  return text.substr(1, text.size() - 2);
}

void read_tf_config(const std::string& config, ProgramFacts& facts) {
  const Json whole(config), cluster(whole.member("cluster")), task(whole.member("task"));
  const std::string_view type = unquoted(task.member("type")), index = unquoted(task.member("index"));
  std::size_t size = 0;
  std::optional<std::size_t> rank;
  std::string_view first;
  for (const std::string_view kind : {"chief", "master", "worker", "ps"}) {
    const auto tasks = Json(cluster.member(kind)).elements();
    std::size_t at = 0;
    std::from_chars(index.data(), index.data() + index.size(), at);
    if (kind == type && is_count(index) && at < tasks.size()) rank = size + at;
    if (first.empty() && !tasks.empty()) first = unquoted(tasks[0]);
    size += tasks.size();
  }
  if (!rank) return;
  facts["rank"] = std::to_string(*rank);
  facts["size"] = std::to_string(size);
  facts["job"] = first;
}

}  // namespace

ProgramFacts job_facts() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  ProgramFacts facts{{"host", host}};
  for (const Launcher& launcher : kLaunchers) {
    const std::string rank = variable(launcher.rank);
    if (variable(launcher.mark).empty() || !is_count(rank)) continue;
    facts["rank"] = rank;
    std::string size = variable(launcher.size);
    if (size.empty() && launcher.part) size = variable("SLURM_NTASKS");  // of older ones
    if (is_count(size)) facts["size"] = size;
    std::string job = variable(launcher.job);
    if (const std::string part = variable(launcher.part); !job.empty() && !part.empty()) job += "." + part;
    // torchrun's own name for a job that was given none.
    if (job.empty() || job == "none") {
      job = variable("MASTER_ADDR");
      if (const std::string port = variable("MASTER_PORT"); !job.empty() && !port.empty()) job += ":" + port;
    }
    if (!job.empty()) facts["job"] = job;
    return facts;
  }
  read_tf_config(variable("TF_CONFIG"), facts);
  return facts;
}

}  // namespace tapescope::record
