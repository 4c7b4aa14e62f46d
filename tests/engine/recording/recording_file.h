// Recordings of a small program, made in memory or in a folder that goes away.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "engine/events/session.h"
#include "engine/ops/ops.h"
#include "engine/program.h"
#include "engine/recording/reader.h"
#include "engine/recording/writer.h"
#include "engine/tape/tape.h"

namespace tapescope::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tapescope-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// Keeps what is written; `room` bytes fit, then it fails as a full disk does.
class MemorySink final : public record::ByteSink {
 public:
  explicit MemorySink(record::Bytes& bytes, std::size_t room = ~std::size_t{0})
      : bytes_(bytes), room_(room) {}
  std::string write(std::span<const std::uint8_t> more) override {
    if (bytes_.size() + more.size() > room_) return "the disk is full";
    bytes_.insert(bytes_.end(), more.begin(), more.end());
    return {};
  }

 private:
  record::Bytes& bytes_;
  std::size_t room_;
};

// Every record and summary of a program's steps.
struct SmallProgram {
  std::vector<Record> records;
  std::vector<StatsEntry> statistics;
  std::uint32_t thread = 0;
};

// Of `steps` steps, each with the gradient of the sum of loss(w).
template <class Loss>
SmallProgram small_program_of(int steps, Loss loss_of) {
  SmallProgram program;
  Session session;
  session.start();
  const Variable w(constant({1.0, -2.0, 3.0}), {.name = "w"});
  for (int i = 0; i < steps; ++i) {
    note_step_begin(static_cast<std::uint64_t>(i), 0);
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_sum(loss_of(w.value()));
    }
    const Tensor gradient = tape.gradient(loss, w);
    note_scalar("loss", element(loss, 0), static_cast<std::uint64_t>(i));
    note_step_end(static_cast<std::uint64_t>(i), 0, false);
  }
  session.stop();
  program.statistics = session.take_stats();
  session.drain([&](std::uint32_t thread, std::span<const Record> part) {
    program.thread = thread;
    program.records.insert(program.records.end(), part.begin(), part.end());
  });
  return program;
}

// (w * 2)^2, of which each step doubles so many times.
inline SmallProgram small_program(int steps, int doublings = 1) {
  return small_program_of(steps, [doublings](const Tensor& w) {
    Tensor x = w * 2.0;
    for (int again = 1; again < doublings; ++again) x = x * 2.0;
    return square(x);
  });
}

inline record::Bytes recorded(const SmallProgram& program, const std::string& reason = "finished") {
  record::Bytes bytes;
  record::RecordingWriter writer(std::make_unique<MemorySink>(bytes), {{"name", "small"}, {"seed", "1"}});
  writer.add(program.thread, program.records);
  writer.add_statistics(program.statistics);
  writer.finish(reason, 0, 0);
  return bytes;
}

inline void write_file(const std::string& path, std::span<const std::uint8_t> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// All that a reader gets out of a file.
struct ReadBack {
  std::vector<Record> records;
  std::vector<StatsEntry> statistics;
  record::ProgramFacts facts;
  record::EndSummary summary;
  std::vector<record::ProgramResults> results;
  std::string loss;
  bool whole = false;
};

inline ReadBack read_back(record::RecordingReader& reader) {
  using Item = record::RecordingReader::Item;
  ReadBack all;
  while (true) {
    const Item item = reader.next();
    if (item == Item::events) {
      const auto& records = reader.events().records;
      all.records.insert(all.records.end(), records.begin(), records.end());
    } else if (item == Item::statistics) {
      all.statistics.insert(all.statistics.end(), reader.statistics().begin(), reader.statistics().end());
    } else if (item == Item::results) {
      all.results.push_back(reader.results());
    } else if (item == Item::end || item == Item::waiting) {
      break;
    }
  }
  all.facts = reader.facts();
  all.summary = reader.summary();
  all.loss = reader.loss();
  all.whole = reader.whole();
  return all;
}

inline ReadBack read_back(const std::string& path) {
  record::RecordingReader reader = record::RecordingReader::open(path);
  return read_back(reader);
}

}  // namespace tapescope::test
