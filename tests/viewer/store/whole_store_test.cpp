// What a store holds of a program does not depend on how its records arrive.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "engine/events/tick_rate.h"
#include "engine/recording/reader.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/viewer/store/store_text.h"
#include "viewer/debugger/headless.h"
#include "viewer/debugger/recording.h"
#include "viewer/store/recording_source.h"
#include "viewer/store/store.h"

using namespace tapescope;
namespace fs = std::filesystem;
using record::RecordingReader;

namespace {

// Some of each folder, the same ones everywhere.
std::vector<std::string> some_recordings() {
  std::vector<std::string> all, some;
  for (const char* folder : {"cpp", "tensorflow", "torch", "samples", "jobs"}) {
    for (const fs::directory_entry& entry :
         fs::directory_iterator(fs::path(tests_folder()) / "data" / "answers" / folder)) {
      if (entry.path().extension() == ".tape") all.push_back(entry.path().string());
    }
  }
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); i += 11) some.push_back(all[i]);
  return some;
}

constexpr double kTick = 0.5;  // nanoseconds

using Lines = std::vector<std::string>;

Lines lines_of(const Snapshot& snapshot, bool at_once) {
  Lines lines;
  for (const auto& [part, rows] : test::texts_of(snapshot)) {
    // A look in between leaves the memory of its step, and the answers that were found then.
    if (!at_once && (part == "steps" || part == "gradients" || part == "findings" || part == "others"))
      continue;
    std::istringstream text(rows);
    for (std::string line; std::getline(text, line);) lines.push_back(part + ": " + line);
  }
  return lines;
}

// The first lines that differ.
std::string difference(const Snapshot& snapshot, const std::string& path, bool at_once) {
  const Lines mine = lines_of(snapshot, at_once),
              theirs = lines_of(*read_recording(path).snapshots[0], at_once);
  const auto [a, b] = std::ranges::mismatch(mine, theirs);
  if (a == mine.end() && b == theirs.end()) return {};
  return (a == mine.end() ? "nothing" : *a) + "\n" + (b == theirs.end() ? "nothing" : *b);
}

struct Stores {
  Store a{0}, b{1};
  Store* both[2] = {&a, &b};
  Router router{both};

  // As often as there are records of a thread.
  void read(const std::string& path, bool publishes) {
    RecordingReader reader = RecordingReader::open(path);
    for (auto item = reader.next();
         item != RecordingReader::Item::end && item != RecordingReader::Item::waiting; item = reader.next()) {
      std::size_t at = 0;
      if (item == RecordingReader::Item::events) {
        for (const record::EventBlock::Batch& batch : reader.events().batches) {
          router.add(batch.thread, std::span(reader.events().records).subspan(at, batch.count));
          at += batch.count;
          if (!publishes) continue;
          CHECK(a.dirty());
          a.publish();
          CHECK_FALSE(a.dirty());
        }
      } else if (item == RecordingReader::Item::statistics) {
        for (Store* store : both) store->add_stats(reader.statistics());
      }
    }
    for (Store* store : both) store->set_step_base(step_base_of(reader.facts()));
    a.publish();
  }
};

}  // namespace

TEST_CASE("a store that is looked at while records arrive ends with what one holds that is not",
          "[store][answers]") {
  const GivenTickRate rate(kTick);
  for (const std::string& path : some_recordings()) {
    INFO(path);
    Stores stores;
    stores.read(path, true);
    CHECK(difference(*stores.a.snapshot(), path, false) == "");
  }
}

TEST_CASE("a store that was emptied is as a new one", "[store][answers]") {
  const GivenTickRate rate(kTick);
  Stores stores;
  for (const std::string& path : some_recordings()) {
    INFO(path);
    stores.a.clear();
    stores.router.clear();
    stores.read(path, false);
    CHECK(difference(*stores.a.snapshot(), path, true) == "");
  }
  stores.a.clear();
  stores.a.publish();
  CHECK(stores.a.snapshot()->steps.empty());
  CHECK(stores.a.snapshot()->complete == nullptr);
  CHECK(stores.a.snapshot()->alerts.empty());
}

TEST_CASE("a recording that is read beside the window ends as one that is read at once", "[store][answers]") {
  const GivenTickRate rate(kTick);
  for (const std::string& path : some_recordings()) {
    INFO(path);
    auto source = std::make_unique<RecordingSource>(RecordingReader::open(path));
    const RecordingSource& read = *source;
    Ingest ingest(std::move(source));
    while (!read.without_results().ended) ingest.flush();
    ingest.stop();
    CHECK(read.taken() > 0);
    CHECK(read.state().has_end);
    CHECK_FALSE(read.state().damaged);
    CHECK(difference(*ingest.store(0).snapshot(), path, false) == "");
  }
}
