// Where rounds begin, which of them belong together, and the last one of each place.
#include "viewer/store/rounds.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/events/records/functions.h"
#include "engine/events/records/gradients.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/tapes.h"
#include "engine/events/records/tensors.h"
#include "viewer/store/tape_holds.h"

namespace tapescope {
namespace {

struct Round {
  std::size_t begin = 0;
  SiteId tape = 0;  // where its outermost tape was made; 0 where no tape is entered
  SiteId call = 0;  // of the first function that was called
  bool asked = false, updates = false;

  SiteId place() const { return tape != 0 ? tape : call; }
};

// From where a tape is entered again to its last question: no round begins in between.
struct Span {
  std::size_t begin = 0, end = 0;
};

std::vector<Span> uses_of_tapes(const std::vector<Record>& records) {
  std::vector<Span> spans;
  std::unordered_map<TapeId, std::size_t> open;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i].is<TapeEnterRecord>()) {
      const auto enter = records[i].as<TapeEnterRecord>();
      if ((enter.flags & TapeEnterRecord::kAgain) && open.contains(enter.tape)) continue;
      open[enter.tape] = spans.size();
      spans.push_back({i, i});
    } else if (records[i].is<GradientAskRecord>()) {
      const auto tape = open.find(records[i].as<GradientAskRecord>().tape);
      if (tape != open.end()) spans[tape->second].end = i;
    }
  }
  return spans;
}

// In the order of their first record; spans begin in that order.
std::vector<Round> rounds_in(const std::vector<Record>& records) {
  const std::vector<Span> spans = uses_of_tapes(records);
  RoundCounter counter;
  std::vector<Round> rounds(1);
  std::size_t span = 0, used_until = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const bool begins = counter.begins(records[i]);
    if (begins && i > used_until) rounds.push_back({.begin = i});
    for (; span < spans.size() && spans[span].begin <= i; ++span)
      used_until = std::max(used_until, spans[span].end);
    if (records[i].is<TapeEnterRecord>() && rounds.back().tape == 0) {
      rounds.back().tape = place_of(records[i].as<TapeEnterRecord>());
    } else if (records[i].is<FunctionCallRecord>() && rounds.back().call == 0) {
      rounds.back().call = records[i].as<FunctionCallRecord>().site;
    }
    const bool asks = records[i].is<GradientAskRecord>() ||
                      (records[i].is<OpRecord>() && (records[i].as<OpRecord>().flags & OpRecord::kBackward));
    rounds.back().asked = rounds.back().asked || asks;
    rounds.back().updates = rounds.back().updates || records[i].is<AssignRecord>();
  }
  return rounds;
}

// Where what belongs to one update of the program's variables begins: the rounds of one place before it that
// updated nothing, as of a tape for each example. Of a program that updates none each round is one.
std::size_t first_of_update(const std::vector<Round>& rounds, std::size_t last) {
  const auto quiet = [&](std::size_t i) {
    return rounds[i].asked && !rounds[i].updates && rounds[i].place() == rounds[last].place();
  };
  std::size_t first = last;
  while (first > 0 && quiet(first - 1)) --first;
  const bool ends = rounds[last].updates || (first > 0 && rounds[first - 1].updates);
  return ends ? first : last;
}

std::unordered_set<TensorId> operands_in(std::span<const Record> records) {
  std::unordered_set<TensorId> operands;
  for (const Record& record : records) {
    if (!record.is<OperandsRecord>()) continue;
    for (const TensorId input : record.as<OperandsRecord>().input) {
      if (input != 0) operands.insert(input);
    }
  }
  return operands;
}

// What one line made itself of one type, in order: marks, which are equal for equal beginnings.
using Made = std::map<std::pair<std::uint32_t, SiteId>, std::vector<std::uint16_t>>;
std::vector<std::uint16_t>& made_there(Made& made, const CreateRecord& record) {
  return made[{record.type, record.site}];
}

std::shared_ptr<const StepView> view_of(const StepData& all, const Segment& segment, std::size_t begin,
                                        std::size_t end, std::vector<TensorId> lasting) {
  StepData round;
  round.program = all.program;
  round.complete = true;
  round.home = segment.thread;
  round.surroundings = all.surroundings;
  const auto records = segment.records.begin();
  round.segments.push_back({segment.thread, std::vector<Record>(records + static_cast<std::ptrdiff_t>(begin),
                                                                records + static_cast<std::ptrdiff_t>(end))});
  for (const Record& record : round.segments.front().records) {
    if (!record.is<OpRecord>() || record.as<OpRecord>().ticks == 0) continue;
    round.begin = record.as<OpRecord>().ticks -
                  std::min<std::uint64_t>(record.as<OpRecord>().duration, record.as<OpRecord>().ticks);
    break;
  }
  return make_step_view(round, std::move(lasting));
}

}  // namespace

std::vector<TensorId> lasting_operands(std::span<const Record> before, std::span<const Record> now) {
  std::unordered_set<TensorId> former = operands_in(before);
  Made made, again;
  for (const Record& record : before) {
    if (record.is<OpRecord>()) former.erase(record.as<OpRecord>().output);
    else if (record.is<OutputRecord>()) former.erase(record.as<OutputRecord>().tensor);
    else if (record.is<CreateRecord>())
      made_there(made, record.as<CreateRecord>()).push_back(record.as<CreateRecord>().mark);
  }
  std::vector<TensorId> both;
  for (const Record& record : now) {
    if (!record.is<CreateRecord>()) continue;
    const auto create = record.as<CreateRecord>();
    // A line that runs several times makes others in another order.
    const std::vector<std::uint16_t>& there = made_there(made, create);
    std::vector<std::uint16_t>& here = made_there(again, create);
    const bool same = here.size() < there.size() && there[here.size()] == create.mark;
    here.push_back(create.mark);
    if (create.mark != 0 && same) both.push_back(create.tensor);
  }
  std::ranges::copy_if(operands_in(now), std::back_inserter(both),
                       [&](TensorId input) { return former.contains(input); });
  std::ranges::sort(both);
  both.erase(std::ranges::unique(both).begin(), both.end());
  return both;
}

bool RoundCounter::begins(const Record& record) {
  switch (record.kind) {
    case GradientAskRecord::kKind:
      asked_ = asked_ || !(record.as<GradientAskRecord>().flags & GradientAskRecord::kTraced);
      return false;
    case BackwardBeginRecord::kKind: ++walks_; return false;
    case BackwardEndRecord::kKind: walks_ -= walks_ > 0; return false;
    case OpRecord::kKind: {
      const std::uint8_t flags = record.as<OpRecord>().flags;
      if (walks_ == 0 && (flags & OpRecord::kBackward) && !(flags & OpRecord::kTraced))
        asked_in_graph_ = true;
      return false;
    }
    case TapeRecord::kExit: open_tapes_ -= open_tapes_ > 0; return false;
    case TapeEnterRecord::kKind:
      if (++open_tapes_ > 1 || !(asked_ || asked_in_graph_)) return false;
      break;
    case FunctionCallRecord::kKind: {
      constexpr auto kElsewhere = FunctionCallRecord::kNested | FunctionCallRecord::kNotCalled;
      if (open_tapes_ > 0 || !asked_in_graph_ || (record.as<FunctionCallRecord>().flags & kElsewhere))
        return false;
      break;
    }
    default: return false;
  }
  asked_ = asked_in_graph_ = false;
  return true;
}

LastRounds last_rounds(const StepData& all) {
  LastRounds found;
  for (const Segment& segment : all.segments) {
    const std::vector<Round> rounds = rounds_in(segment.records);
    const auto view = [&](std::size_t i) {
      const std::size_t first = first_of_update(rounds, i);
      const std::size_t end = i + 1 < rounds.size() ? rounds[i + 1].begin : segment.records.size();
      const auto part = [&](std::size_t from, std::size_t to) {
        return std::span<const Record>(segment.records).subspan(from, to - from);
      };
      std::vector<TensorId> again;
      if (first > 0 && rounds[first - 1].place() == rounds[i].place())
        again = lasting_operands(part(rounds[first - 1].begin, rounds[first].begin),
                                 part(rounds[first].begin, end));
      return view_of(all, segment, rounds[first].begin, end, std::move(again));
    };
    std::vector<SiteId> places;
    std::map<SiteId, std::size_t> last;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      // The last one may still be under way.
      if (!rounds[i].asked && rounds.size() > 1) continue;
      if (last.insert_or_assign(rounds[i].place(), i).second) places.push_back(rounds[i].place());
    }
    for (const SiteId place : places) {
      const std::size_t i = last[place];
      found.last.push_back(view(i));
      const bool at_end = i > 1 && i + 1 == rounds.size();
      if (at_end && rounds[i - 1].asked && rounds[i - 1].place() == place && rounds[i - 2].place() == place)
        found.before.push_back(view(i - 1));
    }
  }
  return found;
}

}  // namespace tapescope
