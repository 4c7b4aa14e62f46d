// Digests of made-up steps, as texts that were read: every kind of record, other threads, exchanges, steps
// out of order.
#include <random>

#include "engine/core/names.h"
#include "engine/events/records/table.h"
#include "engine/recording/digest.h"
#include "tests/support/approval.h"
#include "tests/support/record_text.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

class MadeUpSteps {
 public:
  MadeUpSteps(unsigned seed, std::vector<RecordKind> kinds) : random_(seed), kinds_(std::move(kinds)) {}

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::uint64_t later(std::uint64_t most) { return now_ += 1 + below(most); }

  OpRecord op(bool backward) {
    // Names of ops are numbers of the process: the text has their places in this list.
    return {.flags = static_cast<std::uint8_t>(backward ? OpRecord::kBackward : 0),
            .name = names_[below(names_.size())],
            .site = static_cast<SiteId>(1 + below(3)),
            .ticks = below(9) == 0 ? 0 : later(60),
            .output = ++tensor_,
            .duration = static_cast<std::uint32_t>(40 * below(7))};
  }
  OperandsRecord operands() {
    return {.inputs = 2,
            .outputs = 1,
            .answers = static_cast<std::uint32_t>(below(7) | below(7) << 4),
            .input = {1, 2, 0}};
  }
  // What a step may hold beside its ops.
  Record other() {
    Record record;
    record.kind = kinds_[below(kinds_.size())];
    record.a = static_cast<std::uint8_t>(below(2));
    record.b = static_cast<std::uint32_t>(below(3));
    record.x = below(3);
    record.y = below(3);
    record.z = below(4);
    return record;
  }

  // (thread, record) of one step of thread 1.
  std::vector<std::pair<std::uint32_t, Record>> step(std::uint64_t number, unsigned odd) {
    std::vector<std::pair<std::uint32_t, Record>> made;
    const auto add = [&](const Record& record, std::uint32_t thread = 1) {
      made.emplace_back(thread, record);
    };
    if (odd == 1) add(CreateRecord{});
    add(StepBeginRecord{.implied = static_cast<std::uint8_t>(odd == 2),
                        .program = odd == 3,
                        .step = number,
                        .ticks = later(20)});
    add(TapeEnterRecord{.tape = 5});
    for (std::uint64_t ops = 2 + below(4); ops > 0; --ops) {
      add(op(false));
      add(operands());
      if (below(3) == 0) add(operands());
      if (below(3) == 0) {
        add(op(false), 2);
        add(operands(), 2);
        if (below(2) == 0) add(operands(), 2);
      }
    }
    if (odd != 4) {
      add(GradientAskRecord{.call = number});
      add(SourceRecord{.tensor = odd == 5 ? 8u : 7u});
      add(BackwardBeginRecord{.ticks = later(20)});
      for (std::uint64_t ops = 1 + below(3); ops > 0; --ops) {
        add(op(true));
        add(operands());
      }
      add(BackwardEndRecord{.ticks = later(20)});
      add(ResultRecord{.result = odd == 6 ? ResultKind::none : ResultKind::value, .source = 7});
    }
    for (std::uint64_t n = 1; n <= 2; ++n)
      for (std::uint8_t value = 0; value < 2; ++value)
        if (below(4) != 0)
          add(ReplicaRecord{.value = value,
                            .index = static_cast<std::uint16_t>(n),
                            .name = static_cast<NameId>(n),
                            .hash = below(3) << below(40),
                            .order = 9});
    if (odd != 7) add(Record(TapeDestroyed(5)));
    if (odd >= 8) add(other(), odd % 2 ? 2 : 1);
    add(StepEndRecord{.abandoned = static_cast<std::uint8_t>(odd == 12),
                      .step = number,
                      .ticks = odd == 13 ? 0 : later(20)});
    if (below(3) == 0) add(op(false), 2);
    return made;
  }

  std::string text_of(Record record) const {
    // Op names are numbers of this process.
    const auto place = [&](std::uint64_t name) {
      const auto found = std::find(names_.begin(), names_.end(), name);
      return static_cast<std::uint16_t>(found == names_.end() ? name : 0x100 + (found - names_.begin()));
    };
    if (record.is<StepCountsRecord>() || record.is<CallTimesRecord>()) record.h = place(record.h);
    return record_text(record);
  }

 private:
  static Record TapeDestroyed(std::uint32_t tape) {
    Record record = TapeEnterRecord{.tape = tape};
    record.kind = TapeRecord::kDestroyed;
    return record;
  }

  std::mt19937 random_;
  std::vector<RecordKind> kinds_;
  // Of no other test: ids that grow in this order.
  std::vector<OpNameId> names_{intern_op_name("made up a"), intern_op_name("made up b"),
                               intern_op_name("Collective made up"), intern_op_name("c10d::made up")};
  std::uint64_t now_ = 1000;
  TensorId tensor_ = 100;
};

std::vector<RecordKind> all_kinds() {
  std::vector<RecordKind> kinds;
  for (int kind = 1; kind < 256; ++kind) {
    if (shape_of(static_cast<RecordKind>(kind)).known) kinds.push_back(static_cast<RecordKind>(kind));
  }
  return kinds;
}

// What a maker gives for a group of steps, fed in pieces.
std::string digest_text(MadeUpSteps& steps, record::DigestMaker& maker, std::uint64_t& number,
                        const std::vector<unsigned>& odds) {
  for (const unsigned odd : odds) {
    // Numbers of steps grow, mostly by one.
    number += odd == 14 ? 0 : odd == 15 ? 3 : 1;
    for (const auto& [thread, record] : steps.step(number, odd)) {
      if (maker.add(thread, std::span(&record, 1)) != 1) return "took nothing\n";
    }
  }
  const auto block = maker.take();
  if (!block) return "  read whole\n";
  std::string text;
  for (const auto& batch : block->batches)
    text += fmt::format("  thread {}, {} records\n", batch.thread, batch.count);
  for (const Record& record : block->records) text += "  " + steps.text_of(record) + "\n";
  return text;
}

}  // namespace

TEST_CASE("digests of made-up steps are as approved", "[record][digest]") {
  MadeUpSteps steps(5, all_kinds());
  record::DigestMaker maker;
  std::uint64_t number = 0;
  std::string text = "the first steps\n" + digest_text(steps, maker, number, std::vector<unsigned>(7));
  text += "one more\n" + digest_text(steps, maker, number, {0});
  for (unsigned odd = 0; odd < 16; ++odd) {
    text += fmt::format("two steps, then one of oddness {}, then one\n", odd);
    text += digest_text(steps, maker, number, {0, 0, odd, 0});
  }
  approve("engine/approved/recording/digests.txt", text);
}

TEST_CASE("which kinds of records make a step be read whole is approved", "[record][digest]") {
  std::string text;
  for (const RecordKind kind : all_kinds()) {
    if (kind == StepBeginRecord::kKind || kind == StepEndRecord::kKind) continue;
    for (const std::uint32_t thread : {1u, 2u}) {
      for (const bool inside : {true, false}) {
        record::DigestMaker maker;
        const auto add = [&](const Record& record, std::uint32_t by = 1) {
          maker.add(by, std::span(&record, 1));
        };
        std::uint64_t now = 100;
        const auto step = [&](std::uint64_t number, bool with) {
          add(StepBeginRecord{.step = number, .ticks = now += 10});
          Record odd;
          odd.kind = kind;
          if (with && inside) add(odd, thread);
          add(StepEndRecord{.step = number, .ticks = now += 10});
          if (with && !inside) add(odd, thread);
        };
        for (std::uint64_t number = 0; number < record::kWholeSteps; ++number) step(number, false);
        maker.take();
        step(20, false);
        step(21, true);
        step(22, false);
        const auto block = maker.take();
        text += fmt::format("{} {} of thread {}: ", kind_text(kind), inside ? "in a step" : "between steps",
                            thread);
        if (block) {
          std::size_t kept = 0;
          for (const Record& record : block->records) kept += record.kind == kind;
          text += fmt::format("{} records, {} of this kind\n", block->records.size(), kept);
        } else {
          text += "read whole\n";
        }
      }
    }
  }
  approve("engine/approved/recording/digest_kinds.txt", text);
}

TEST_CASE("digests of statistics end with their steps, and where sources differ there is none",
          "[record][digest]") {
  std::string text;
  record::StatisticsDigestMaker maker;
  const auto add = [&](std::uint64_t step, std::uint64_t source, TensorStats stats = {}) {
    StatsEntry entry;
    entry.step = step;
    entry.source_id = source;
    entry.stats = stats;
    maker.add(std::span(&entry, 1));
  };
  const auto take = [&](const char* what) {
    const auto digest = maker.take();
    text += fmt::format("{}: {}\n", what, digest ? fmt::format("{} steps", digest->steps) : "none");
  };
  take("nothing");
  add(1, 5);
  take("a step under way");
  add(2, 5);
  take("one that ended");
  add(3, 5), add(4, 5), add(5, 5);
  take("three with the same sources");
  add(6, 5), add(6, 6), add(7, 5);
  take("one more source");
  add(8, 5), add(9, 5), add(9, 5);
  take("alike again");
  add(3, 5);
  take("out of order");
  add(10, 5), add(11, 5, {.nans = 1});
  take("a NaN");
  add(12, 5), add(13, 5, {.infinities = 1});
  take("an infinity");
  approve("engine/approved/recording/statistics_digests.txt", text);
}
