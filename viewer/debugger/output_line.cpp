// The step of each line, by the time it was read at.
#include "viewer/debugger/output_line.h"

#include <algorithm>
#include <memory>
#include <ranges>
#include <utility>

#include "engine/events/clock.h"
#include "viewer/store/snapshot.h"

namespace tapescope {
namespace {

// The last step that had begun at that time, and whether one is known that began later.
struct Found {
  std::uint64_t step = 0;
  bool later = false;
};

Found step_at(const Snapshot& program, std::uint64_t ticks) {
  if (program.first_ticks == 0) return {};
  const double us = ticks > program.first_ticks ? microseconds(ticks - program.first_ticks) : -1;
  const auto begun = [&](std::size_t i) { return program.steps[i].begin_us <= us; };
  const auto all = std::views::iota(std::size_t{0}, program.steps.size());
  const auto first_later = static_cast<std::size_t>(std::ranges::partition_point(all, begun) - all.begin());
  Found found{.later = first_later < program.steps.size()};
  if (first_later > 0) found.step = program.step_shown(program.steps[first_later - 1].step);
  const std::shared_ptr<const StepView> open = program.shown();
  if (found.later || !open) return found;
  if (open->begin_us > us) found.later = true;
  else found.step = std::max(found.step, program.step_shown(open->step));
  return found;
}

}  // namespace

void place_lines(ProgramLines& lines, const Snapshot& program) {
  bool changed = false;
  const auto place = [&](OutputLine& line) {
    const Found found = step_at(program, line.at);
    changed |= std::exchange(line.step, found.step) != found.step;
    return found.later;
  };
  bool later = true;
  for (std::size_t i = lines.placed; i < lines.lines.size(); ++i) {
    later = place(lines.lines[i]) && later;
    if (later) lines.placed = i + 1;
  }
  if (!lines.open.text.empty()) place(lines.open);
  if (changed) ++lines.version;
}

}  // namespace tapescope
