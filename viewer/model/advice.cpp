// Collects and orders what the rules find.
#include "viewer/model/advice.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "engine/explain/python_words.h"
#include "viewer/model/report.h"
#include "viewer/store/tape_text.h"

namespace tapescope {
namespace {

bool general(const AdviceRow& row) {
  constexpr std::array<std::string_view, 3> kGeneral = {"many_small_ops", "fusable_chain", "precision"};
  return std::find(kGeneral.begin(), kGeneral.end(), row.kind) != kGeneral.end();
}

void of_step(const Snapshot& snapshot, const StepView& step, std::vector<AdviceRow>& to) {
  advice::unneeded(snapshot, step, to);
  advice::tapes(step, to);
  advice::repeated(step, snapshot.sources.get(), to);
  advice::lasting(snapshot, step, to);
  advice::round_trips(step, snapshot.sources.get(), to);
  const auto& recent = snapshot.recent;
  const bool followed = recent.size() > 1 && recent.back().get() == &step;
  advice::reads_one_by_one(step, followed ? recent[recent.size() - 2].get() : nullptr, to);
  advice::batches(step, snapshot.sources.get(), to);
  advice::shapes(step, to);
  advice::memory(step, to);
}

// One row a cause: of equal remarks on one line that which saves most. General ones are said once.
void leave_one_of_each(std::vector<AdviceRow>& rows) {
  std::vector<AdviceRow> left;
  for (AdviceRow& row : rows) {
    const auto known = std::find_if(left.begin(), left.end(), [&](const AdviceRow& other) {
      return other.kind == row.kind && (general(row) || other.location == row.location);
    });
    if (known == left.end()) left.push_back(std::move(row));
    else if (known->saving_us < row.saving_us) *known = std::move(row);
  }
  rows = std::move(left);
}

// Rows about helpers go to the lines that call them.
void place_at_callers(const SourceFiles* sources, std::vector<AdviceRow>& rows) {
  for (AdviceRow& row : rows) {
    if (row.kind == "persistent_tape") row.location = tape_made_at(sources, row.location);
    if (!row.helper) continue;
    const SourcePlace place = source_place(row.helper->location);
    const SourceFile* file = source_of(sources, row.helper->location);
    // A single line stands for its function, as far as that line.
    WantedCall wanted = row.helper->call;
    const auto user = sources ? sources->find(wanted.file) : SourceFiles::const_iterator();
    if (wanted.first != 0 && wanted.first == wanted.last && sources && user != sources->end())
      wanted.first = function_around(user->second, wanted.last).line;
    SourcePlace call;
    if (file && row.helper->way.size() > 1) call = calling_line(*sources, row.helper->way, wanted);
    if (file && call.line == 0) call = calling_line(*sources, place, wanted);
    // Where that function was only handed the result, another one called before it.
    const WantedCall& meant = row.helper->call;
    if (call.line == 0 && file && meant.first != 0 && meant.first == meant.last) {
      const SourcePlace met = source_place(row.location);
      call = calling_line(*sources, place, {.again = true, .file = std::string(met.file), .last = met.line});
    }
    // Where the results met in a function that did not call it, whichever line called it again.
    if (call.line == 0 && file && meant.again && meant.first == 0)
      call = calling_line(*sources, place, {.again = true});
    // Of several callers the one that takes what the helper computed.
    if (const SourceFile* taker = source_of(sources, row.location);
        call.line == 0 && file && taker && row.location != row.helper->location) {
      const SourcePlace taken = source_place(row.location);
      call = calling_line(*sources, place,
                          {.file = std::string(taken.file),
                           .first = function_around(*taker, taken.line).line,
                           .last = taken.line});
    }
    if (call.line == 0) continue;
    if (row.location == row.helper->location)
      row.evidence += fmt::format(", in {} at {}", function_around(*file, place.line).name, row.location);
    row.location = fmt::format("{}:{}", call.file, call.line);
  }
}

}  // namespace

double advice::work_of(const OpRow& op) {
  return std::max(op.flops, op.type != nullptr ? static_cast<double>(op.type->numel) : 0.0);
}

double advice::call_us(const StepView& step) {
  double shortest = 0;
  for (const OpRow& op : step.ops) {
    if (op.duration_us > 0 && (shortest == 0 || op.duration_us < shortest)) shortest = op.duration_us;
  }
  return shortest;
}

std::string advice::fix_for(std::string_view location, std::string_view cpp, std::string_view python) {
  return std::string(is_python(location) ? python : cpp);
}

bool advice::updated_between(const StepView& step, const GradientCall& first, const GradientCall& last) {
  const auto made = [&](const GradientCall& call) {
    return call.targets.empty() ? kNoOp : step.op_of_tensor(call.targets.front());
  };
  const std::uint32_t begin = made(first), end = made(last);
  if (begin == kNoOp || end == kNoOp) return false;
  return std::ranges::any_of(step.assigns, [&](const AssignRow& assign) {
    return assign.after_op > begin && assign.after_op <= end &&
           std::ranges::count(first.sources, assign.variable) > 0;
  });
}

std::string advice::meeting_line(const std::vector<SiteId>& one, const std::vector<SiteId>& other) {
  using Way = std::span<const SiteId>;
  const auto same_line = [](SiteId a, SiteId b) {
    const CallSite left = site_with_id(a), right = site_with_id(b);
    return left.line == right.line && left.file == right.file;
  };
  Way a(one), b(other);
  // Long ways are known without their outer ends: both begin where the shorter one does.
  const auto cut = [&](Way& longer, const Way& shorter) {
    for (std::size_t count = longer.size(); count > 0; --count) {
      if (!same_line(longer[count - 1], shorter.back())) continue;
      longer = longer.first(count);
      return true;
    }
    return false;
  };
  if (!cut(a, b)) cut(b, a);
  const auto from_end = [](const Way& way, std::size_t i) { return way[way.size() - 1 - i]; };
  std::size_t same = 0;
  while (same < a.size() && same < b.size() && same_line(from_end(a, same), from_end(b, same))) ++same;
  if (same == a.size() && same == b.size()) return {};
  // Of two functions that one line called, the second one's line.
  if (same > 0 && same < a.size() && same < b.size()) return location_text(site_with_id(from_end(b, same)));
  return same > 0 ? location_text(site_with_id(from_end(b, same - 1))) : std::string();
}

std::optional<AdviceRow::Helper> advice::called_in_block(const StepView& step, std::string_view location) {
  if (step.calls.empty()) return {};
  const SourcePlace tape = source_place(step.calls.back().tape_made),
                    asked = source_place(step.calls.back().location), op = source_place(location);
  const bool inside = op.file == tape.file && op.line >= tape.line && op.line <= asked.line;
  // The block's own lines are those between two of one file.
  if (tape.file != asked.file || inside) return {};
  return AdviceRow::Helper{std::string(location),
                           {.file = std::string(tape.file), .first = tape.line, .last = asked.line}};
}

std::vector<AdviceRow> advise(const Snapshot& snapshot) {
  // The rules below speak of our ops and TensorFlow's; hooks that judge know their framework better.
  if (snapshot.judged) return snapshot.advice;
  std::vector<AdviceRow> rows;
  if (snapshot.rounds.empty() && snapshot.complete) of_step(snapshot, *snapshot.complete, rows);
  for (const auto& round : snapshot.rounds) of_step(snapshot, *round, rows);
  for (const auto& round : snapshot.rounds_before) {
    advice::round_trips(*round, snapshot.sources.get(), rows);
    advice::lasting_between(snapshot, *round, rows);
  }
  advice::tapes_for_examples(snapshot, rows);
  advice::reads_each_step(snapshot, rows);
  if (snapshot.rounds.empty() && snapshot.recent.size() > 1)
    advice::lasting_between(snapshot, *snapshot.recent[snapshot.recent.size() - 2], rows);
  place_at_callers(snapshot.sources.get(), rows);
  leave_one_of_each(rows);
  advice::gradients(snapshot, rows);
  std::vector<AdviceRow> of_functions;
  advice::functions(snapshot, of_functions);
  place_at_callers(snapshot.sources.get(), of_functions);
  std::ranges::move(of_functions, std::back_inserter(rows));
  std::stable_sort(rows.begin(), rows.end(), [](const AdviceRow& a, const AdviceRow& b) {
    if (general(a) != general(b)) return general(b);
    return a.saving_us > b.saving_us;
  });
  return rows;
}

void measure(std::vector<AdviceRow>& a, const std::vector<AdviceRow>& b, const Ratio& step,
             double a_median_us) {
  if (!(step.high < 1)) return;
  AdviceRow* followed = nullptr;
  for (AdviceRow& row : a) {
    const auto same = [&](const AdviceRow& other) { return other.kind == row.kind; };
    if (general(row) || std::any_of(b.begin(), b.end(), same)) continue;
    if (followed != nullptr) return;
    followed = &row;
  }
  if (followed == nullptr) return;
  followed->saving_us = a_median_us * (1 - step.value);
  followed->measured = true;
}

namespace advice {

TensorId handle_read(const StepView& step, const OpRow& op) {
  return (op.flags & OpRecord::kHandle) != 0 && op.inputs > 0 ? step.inputs[op.first_input] : 0;
}

bool asked_in_run(const Snapshot& snapshot, TensorId handle) {
  return std::ranges::any_of(snapshot.variables,
                             [&](const VariableRow& row) { return row.id == handle && row.asked; });
}

}  // namespace advice

}  // namespace tapescope
