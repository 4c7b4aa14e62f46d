// What the command line answers about programs that were recorded: tests/data/answers, with the texts that
// were read and found right. Functions are called in this process, those that the commands call.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <sqlite3.h>

#include "engine/events/tick_rate.h"
#include "tests/support/approval.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/viewer/store/store_text.h"
#include "viewer/cli/cli.h"
#include "viewer/debugger/recording.h"
#include "viewer/export/export.h"
#include "viewer/export/formats.h"
#include "viewer/export/job_trace.h"
#include "viewer/export/report_json.h"

using namespace tapescope;
namespace fs = std::filesystem;

namespace {

// Times of a recording are the same on all machines, as is what is made of them.
constexpr double kTick = 0.5;  // nanoseconds

fs::path data() { return fs::path(tests_folder()) / "data" / "answers"; }

class CurrentFolder {
 public:
  explicit CurrentFolder(const fs::path& folder) : before_(fs::current_path()) { fs::current_path(folder); }
  ~CurrentFolder() { fs::current_path(before_); }
  CurrentFolder(const CurrentFolder&) = delete;
  CurrentFolder& operator=(const CurrentFolder&) = delete;

 private:
  fs::path before_;
};

// What is written to a descriptor meanwhile.
class Caught {
 public:
  explicit Caught(int descriptor) : descriptor_(descriptor), before_(dup(descriptor)), file_(std::tmpfile()) {
    std::fflush(nullptr);
    dup2(fileno(file_), descriptor);
  }
  ~Caught() {
    text();
    std::fclose(file_);
  }
  Caught(const Caught&) = delete;
  Caught& operator=(const Caught&) = delete;
  // Ends it.
  std::string text() {
    if (before_ < 0) return {};
    std::fflush(nullptr);
    dup2(before_, descriptor_);
    close(before_);
    before_ = -1;
    std::string text(static_cast<std::size_t>(lseek(fileno(file_), 0, SEEK_END)), 0);
    const ssize_t read = pread(fileno(file_), text.data(), text.size(), 0);
    REQUIRE(read == static_cast<ssize_t>(text.size()));
    return text;
  }

 private:
  int descriptor_, before_;
  std::FILE* file_;
};

std::string without_folder(std::string text, const std::string& folder) {
  for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at))
    text.erase(at, folder.size());
  return text;
}

// A command as it is typed: exit code, what it prints and what it complains of.
std::string said_by(std::vector<std::string> words) {
  words.insert(words.begin(), "tapescope");
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  std::string out, err;
  int code = 0;
  {
    Caught printed(STDOUT_FILENO), complained(STDERR_FILENO);
    code = run_cli(static_cast<int>(arguments.size()), arguments.data(), "");
    err = complained.text();
    out = printed.text();
  }
  return without_folder(without_folder(fmt::format("exit {}\n{}{}", code, out, err), data().string() + "/"),
                        data().parent_path().string() + "/");
}

class Page {
 public:
  void add(std::string_view title, const std::string& text) {
    text_ += fmt::format("=== {}\n{}{}", title, text, text.empty() || text.ends_with('\n') ? "" : "\n");
  }
  void digest(std::string_view title, const std::string& text) {
    if (text.empty()) return;
    digests_ += fmt::format("{}: {}\n", title, test::digest_of(test::rounded(text)));
    if (const char* const folder = std::getenv("TAPESCOPE_KEEP_ANSWERS")) {
      std::ofstream(fs::path(folder) / fmt::format("{}.{}", name_, title), std::ios::binary)
          << test::rounded(text);
    }
  }
  explicit Page(std::string name) : name_(std::move(name)) {}
  std::string text() const { return text_ + "=== longer ones\n" + digests_; }

 private:
  std::string name_, text_, digests_;
};

// Of each large member of the document, and of the small ones together.
void add_document(Page& page, const std::string& title, const Json& document) {
  std::string small;
  for (const auto& [key, value] : document.items()) {
    const std::string text = json_text(value);
    if (std::count(text.begin(), text.end(), '\n') > 2) page.digest(title + "." + key, text);
    else small += key + ": " + text;
  }
  page.digest(title, small);
}

// The rows of all tables: the bytes of the file depend on the version of the library.
std::string rows_of(const std::string& database) {
  sqlite3* file = nullptr;
  REQUIRE(sqlite3_open(":memory:", &file) == SQLITE_OK);
  std::string bytes = database, text;
  REQUIRE(sqlite3_deserialize(file, "main", reinterpret_cast<unsigned char*>(bytes.data()),
                              static_cast<sqlite3_int64>(bytes.size()),
                              static_cast<sqlite3_int64>(bytes.size()),
                              SQLITE_DESERIALIZE_READONLY) == SQLITE_OK);
  const auto add_row = [](void* to, int columns, char** values, char**) {
    for (int i = 0; i < columns; ++i)
      *static_cast<std::string*>(to) += fmt::format("{}|", values[i] ? values[i] : "NULL");
    *static_cast<std::string*>(to) += "\n";
    return 0;
  };
  std::string tables;
  sqlite3_exec(file, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name", add_row, &tables,
               nullptr);
  std::istringstream names(tables);
  for (std::string name; std::getline(names, name, '|');) {
    text += name + "\n";
    CHECK(sqlite3_exec(file, ("SELECT * FROM " + name).c_str(), add_row, &text, nullptr) == SQLITE_OK);
    names.ignore();
  }
  sqlite3_close(file);
  return text;
}

// The head, and the fields: a step's number, then figures.
std::string numbers_of(const std::string& array) {
  const std::size_t head = array.find('\n') + 1;
  std::string text = array.substr(10, head - 10);
  for (std::size_t at = head; at + sizeof(double) <= array.size(); at += sizeof(double)) {
    std::uint64_t number = 0;
    double figure = 0;
    std::memcpy(&number, array.data() + at, sizeof number);
    std::memcpy(&figure, array.data() + at, sizeof figure);
    text += number < (1u << 20)  ? fmt::format("{}\n", number)
            : std::isnan(figure) ? std::string("nan\n")
                                 : fmt::format("{:.5g}\n", figure);
  }
  return text;
}

void add_exports(Page& page, const HeadlessRun& run, const fs::path& recording) {
  const Snapshot& snapshot = *run.snapshots[0];
  if (snapshot.complete) {
    for (const char* format : {"csv", "dot", "markdown", "svg"}) page.digest(format, exported(format, run));
  }
  page.digest("sqlite", rows_of(exported("sqlite", run)));
  page.digest("npy", numbers_of(exported("npy", run)));
  page.digest("perfetto", perfetto_json(job_traces({recording.string()})));
}

std::string answers_about(const fs::path& recording) {
  Page page(recording.stem().string());
  const HeadlessRun run = read_recording(recording.string());
  const RunReport report = report_of(run, 0);
  const StepView* const view = run.snapshots[0] ? run.snapshots[0]->complete.get() : nullptr;
  page.add("report", run_text(report));
  page.add("explain", explain_text(report));
  page.add("functions", functions_text(report) + graphs_text(report));
  page.add("memory", memory_text(report, view));
  page.add("check", said_by({"check", recording.string(), "--fail-on",
                             "none,zero,nonfinite,vanishing,exploding,dead,retrace,leak,truncated,empty_"
                             "sources,diverged,straggler,advice"}));
  page.add("doctor", said_by({"doctor", recording.string()}));
  add_document(page, "report", json_of(report));
  add_document(page, "explain", explain_json(report));
  if (!run.snapshots[0]) return page.text();
  page.digest("panel steps", steps_text(run.snapshots[0]->steps));
  page.digest("panel gradients", gradients_text(report));
  for (const auto& [part, text] : test::texts_of(*run.snapshots[0])) page.digest("store " + part, text);
  add_exports(page, run, recording);
  return page.text();
}

// The folder of the program's text, which answers read.
fs::path home_of(const std::string& name, const fs::path& programs, const char* ending) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(programs)) {
    if (entry.path().filename() == name + ending) return entry.path().parent_path();
  }
  return programs;
}

// The texts stand in data()/FOLDER.
void check_answers(const std::string& folder, const fs::path& from, const fs::path& programs,
                   const char* ending) {
  const GivenTickRate rate(kTick);
  std::vector<fs::path> recordings;
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    if (entry.path().extension() == ".tape") recordings.push_back(entry.path());
  }
  std::sort(recordings.begin(), recordings.end());
  REQUIRE(recordings.size() > 10);
  for (const fs::path& recording : recordings) {
    const std::string name = recording.stem().string();
    std::string text;
    {
      const CurrentFolder here(home_of(name, programs, ending));
      text = test::rounded(answers_about(recording));
    }
    approve("data/answers/" + folder + "/" + name + ".txt", text);
  }
}

std::string recording(const std::string& name) { return (data() / (name + ".tape")).string(); }

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "tapescope-answers-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~ScratchFolder() { fs::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// What a command says, and the JSON document that it writes.
void add_said(Page& page, const ScratchFolder& scratch, const std::string& title,
              std::vector<std::string> words) {
  words.insert(words.end(), {"--json", scratch / "document.json"});
  fs::remove(scratch / "document.json");
  const std::string folder = scratch.path().string() + "/";
  page.add(title, without_folder(said_by(words), folder));
  page.digest(
      title,
      without_folder(without_folder(read_file(scratch / "document.json"), data().string() + "/"), folder));
}

}  // namespace

TEST_CASE("what is said of recorded programs in C++ is what was found right", "[answers]") {
  check_answers("cpp", data() / "cpp", fs::path(tests_folder()) / "programs", ".cpp");
}

TEST_CASE("what is said of recorded programs in TensorFlow is what was found right", "[answers]") {
  check_answers("tensorflow", data() / "tensorflow", fs::path(tests_folder()) / "bridges/programs/tensorflow",
                ".py");
}

TEST_CASE("what is said of recorded programs in PyTorch is what was found right", "[answers]") {
  check_answers("torch", data() / "torch", fs::path(tests_folder()) / "bridges/programs/torch", ".py");
}

TEST_CASE("what is said of recorded samples is what was found right", "[answers]") {
  check_answers("samples", data() / "samples", fs::path(tests_folder()).parent_path() / "samples", ".cpp");
}

TEST_CASE("what is said of recordings of an earlier version is what was found right", "[answers]") {
  check_answers("earlier", data().parent_path() / "recordings-1.1",
                fs::path(tests_folder()).parent_path() / "samples", ".cpp");
}

TEST_CASE("what is said of a job's ranks is what was found right", "[answers]") {
  const GivenTickRate rate(kTick);
  const CurrentFolder here(fs::path(tests_folder()).parent_path() / "samples");
  const ScratchFolder scratch;
  Page page("jobs");
  for (const char* job :
       {"jobs/data-parallel-optimized", "jobs/data-parallel-diverging", "jobs/data-parallel-unoptimized"}) {
    const auto rank = [&](int number) { return recording(fmt::format("{}-{}", job, number)); };
    for (const char* command : {"explain", "check", "report"})
      add_said(page, scratch, fmt::format("{} {}", command, job), {command, rank(2), rank(0), rank(1)});
    add_said(page, scratch, fmt::format("two ranks of {}", job), {"explain", rank(1), rank(0)});
    page.digest(fmt::format("perfetto {}", job), perfetto_json(job_traces({rank(0), rank(1), rank(2)})));
  }
  add_said(
      page, scratch, "a rank twice",
      {"explain", recording("jobs/data-parallel-optimized-0"), recording("jobs/data-parallel-optimized-0")});
  add_said(
      page, scratch, "ranks of two jobs",
      {"explain", recording("jobs/data-parallel-optimized-0"), recording("jobs/data-parallel-diverging-1")});
  add_said(
      page, scratch, "one that is of no job",
      {"check", recording("jobs/data-parallel-optimized-0"), recording("samples/stop-gradient-default")});
  add_said(page, scratch, "a panel of several",
           {"report", recording("jobs/data-parallel-optimized-0"),
            recording("jobs/data-parallel-optimized-1"), "--panel", "ops"});
  approve("data/answers/jobs.txt", test::rounded(page.text()));
}

TEST_CASE("what is said of two recordings is what was found right", "[answers]") {
  const GivenTickRate rate(kTick);
  const CurrentFolder here(fs::path(tests_folder()).parent_path() / "samples");
  const ScratchFolder scratch;
  Page page("comparisons");
  for (const auto& [a, b] : std::vector<std::pair<std::string, std::string>>{
           {"samples/preprocessing-unoptimized", "samples/preprocessing-watched-inputs"},
           {"samples/variable-tracking-unoptimized", "samples/variable-tracking-as-published"},
           {"samples/graph-function-unoptimized", "samples/graph-function-optimized"},
           {"samples/rnn-cell-unoptimized", "samples/rnn-cell-while-loop"},
           {"samples/redundant-ops-unoptimized", "samples/redundant-ops-function"},
           {"samples/retracing-new-object", "samples/retracing-relaxed"},
           {"samples/checkpointing-unoptimized", "samples/checkpointing-optimized"},
           {"samples/custom-op-unoptimized", "samples/custom-op-unoptimized"},
           {"jobs/data-parallel-diverging-0", "jobs/data-parallel-diverging-1"},
           {"samples/stop-gradient-default", "samples/multi-variable-default"}}) {
    add_said(page, scratch, fmt::format("{} and {}", a, b), {"compare", recording(a), recording(b)});
    page.digest(fmt::format("markdown {} and {}", a, b),
                said_by({"compare", recording(a), recording(b), "--markdown"}));
  }
  approve("data/answers/comparisons.txt", test::rounded(page.text()));
}

TEST_CASE("a check against an earlier run says what got worse", "[answers]") {
  const GivenTickRate rate(kTick);
  const CurrentFolder here(fs::path(tests_folder()).parent_path() / "samples");
  const ScratchFolder scratch;
  Page page("baselines");
  for (const char* name : {"samples/linear-regression-unoptimized", "samples/rnn-cell-unoptimized"}) {
    const std::string of = recording(name);
    add_said(page, scratch, fmt::format("{} beside itself", name), {"check", of, "--baseline", of});
    said_by({"report", of, "--json", scratch / "run.json"});
    const Json whole = Json::parse(read_file(scratch / "run.json"));
    add_said(page, scratch, fmt::format("{} beside its report", name),
             {"check", of, "--baseline", scratch / "run.json"});
    for (const double share : {0.2, 0.5, 0.8, 0.9, 0.95, 1.5}) {
      Json then = whole;
      for (const char* key : {"median", "p90"})
        then["time"]["step"][key] = whole["time"]["step"][key].get<double>() * share;
      std::ofstream(scratch / "times.json") << then;
      add_said(page, scratch, fmt::format("{} beside {} of its times", name, share),
               {"check", of, "--baseline", scratch / "times.json", "--fail-on", "regression"});
      then = whole;
      for (const char* key : {"recorded", "backward_ops", "saved_bytes"})
        then["tape"][key] = std::llround(whole["tape"][key].get<double>() * share);
      std::ofstream(scratch / "counts.json") << then;
      add_said(page, scratch, fmt::format("{} beside {} of its counts", name, share),
               {"check", of, "--baseline", scratch / "counts.json", "--fail-on", "regression"});
    }
  }
  add_said(page, scratch, "of another program",
           {"check", recording("samples/stop-gradient-default"), "--baseline",
            recording("samples/multi-variable-default")});
  approve("data/answers/baselines.txt", test::rounded(page.text()));
}

TEST_CASE("what is said of a damaged recording and of one that is cut off is what was found right",
          "[answers]") {
  const GivenTickRate rate(kTick);
  const CurrentFolder here(fs::path(tests_folder()).parent_path() / "samples");
  const ScratchFolder scratch;
  Page page("damaged");
  for (const char* name : {"samples/linear-regression-unoptimized", "samples/none-gradients-consumed",
                           "samples/rnn-cell-while-loop"}) {
    const std::string whole = read_file(recording(name));
    REQUIRE(whole.size() > 1000);
    const auto add = [&](const std::string& how, const std::string& bytes) {
      std::ofstream(scratch / "damaged.tape", std::ios::binary) << bytes;
      for (const char* command : {"doctor", "explain", "check", "report"})
        add_said(page, scratch, fmt::format("{} {}, {}", command, name, how),
                 {command, scratch / "damaged.tape"});
      page.add("recover",
               without_folder(said_by({"recover", scratch / "damaged.tape", "-o", scratch / "saved.tape"}),
                              scratch.path().string() + "/"));
      add_said(page, scratch, "doctor of what was saved", {"doctor", scratch / "saved.tape"});
      add_said(page, scratch, "what was saved", {"explain", scratch / "saved.tape"});
    };
    add("without its end", whole.substr(0, whole.size() - 40));
    add("cut off in the middle", whole.substr(0, whole.size() / 2));
    std::string damaged = whole;
    damaged[whole.size() / 3] = static_cast<char>(~damaged[whole.size() / 3]);
    add("with a byte that is another", damaged);
    damaged = whole;
    damaged[6] = static_cast<char>(~damaged[6]);
    add("with a damaged head", damaged);
    add("with bytes behind its end", whole + std::string(100, 'x'));
  }
  std::ofstream(scratch / "empty.tape") << "";
  std::ofstream(scratch / "text.tape") << "no recording at all\n";
  for (const char* name : {"empty.tape", "text.tape", "none.tape"}) {
    for (const char* command : {"doctor", "explain"})
      add_said(page, scratch, fmt::format("{} {}", command, name), {command, scratch / name});
  }
  approve("data/answers/damaged.txt", test::rounded(page.text()));
}
