// The events of the run in the window, kept in a private file, so that the run can be saved
// afterwards.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "engine/recording/recorder.h"
#include "viewer/store/ingest.h"

namespace tapescope {

class Spool final : public EventTap {
 public:
  Spool();
  ~Spool() override;

  // On the ingest thread.
  void add(std::uint32_t thread, std::span<const Record> records) override;
  void add_stats(std::span<const StatsEntry> entries) override;
  void clear() override;

  // Writes everything so far, and payloads of chunks of values, as a separate recording; the spool goes on.
  // What is not in it is the returned sentence, empty when it is whole. Throws Error (surroundings) when
  // `path` cannot be written. Any thread but the ingest thread.
  std::string save(const std::string& path, const record::ProgramFacts& facts,
                   const std::vector<record::ProgramResults>& results,
                   const std::vector<record::Bytes>& values, const std::string& ending, std::uint64_t lost);

 private:
  void begin();

  mutable std::mutex mutex_;  // guards what follows
  std::unique_ptr<record::Recorder> recorder_;
  int file_ = -1;
  std::string failure_;
};

}  // namespace tapescope
