// How tapes and functions are used, and what follows from gradients.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "viewer/model/advice.h"
#include "viewer/model/report.h"
#include "viewer/model/units.h"
#include "viewer/store/function_row.h"

namespace tapescope::advice {
namespace {

// Below this the rows of a Jacobian are as cheap one by one.
constexpr std::size_t kRows = 4;

// Bytes kept by a persistent tape that are worth a remark: what a few scalars leave is none.
constexpr std::int64_t kWorthFreeing = 1 << 6;

// Whether one call walks its tape more than once, as a Jacobian that goes row by row does: only a persistent
// tape can.
bool walks_again(const StepView& step, std::uint32_t call) {
  std::set<std::uint32_t> walked;
  return std::any_of(step.backward_steps.begin(), step.backward_steps.end(), [&](const BackwardStep& back) {
    return back.call == call && back.forward_op != kNoOp && !walked.insert(back.forward_op).second;
  });
}

// What the program gave each call for output_gradients, as far as the first op of its walk shows. What the
// engine takes in its place, ones, no op and no line of the program made.
std::set<TensorId> given_to(const StepView& step, const std::vector<std::uint32_t>& calls) {
  std::set<TensorId> given;
  std::set<std::uint32_t> seen;
  for (const BackwardStep& back : step.backward_steps) {
    if (back.ops == 0 || std::ranges::find(calls, back.call) == calls.end() || !seen.insert(back.call).second)
      continue;
    const OpRow& op = step.ops[back.first_op];
    for (std::uint32_t k = 0; k < op.inputs; ++k) {
      const TensorId tensor = step.inputs[op.first_input + k];
      const std::uint32_t from = step.producers_of(op)[k];
      const bool made =
          from != kNoOp
              ? step.ops[from].direction != Direction::backward && !step.ops[from].recorded
              : std::ranges::find(step.host_made, tensor, &HostTensor::tensor) != step.host_made.end();
      if (made) given.insert(tensor);
    }
  }
  return given;
}

// One target asked of one tape for source after source: each call walks the same way back again.
void separate_sources(const StepView& step, const std::vector<std::uint32_t>& calls,
                      std::vector<AdviceRow>& to) {
  constexpr double kWorthMending = 1000;  // elements that were computed again
  constexpr std::size_t kLoop = 3;        // a question a variable is written wrongly, however small they are
  std::map<std::vector<TensorId>, std::vector<std::uint32_t>> by_target;
  for (const std::uint32_t call : calls) {
    if (!step.calls[call].raised && !step.calls[call].traced)
      by_target[step.calls[call].targets].push_back(call);
  }
  for (const auto& [targets, asks] : by_target) {
    if (asks.size() < 2) continue;
    std::set<std::uint32_t> walked;
    double again = 0, us = 0;
    std::uint32_t ops = 0;
    for (const BackwardStep& back : step.backward_steps) {
      if (std::ranges::find(asks, back.call) == asks.end() || back.forward_op == kNoOp) continue;
      if (walked.insert(back.forward_op).second) continue;
      us += back.duration_us;
      for (std::uint32_t i = back.first_op; i < back.first_op + back.ops; ++i, ++ops)
        again += step.ops[i].type != nullptr ? static_cast<double>(step.ops[i].type->numel) : 0;
    }
    const GradientCall& second = step.calls[asks[1]];
    std::set<TensorId> sources;
    std::size_t asked = 0;
    for (const std::uint32_t ask : asks) {
      sources.insert(step.calls[ask].sources.begin(), step.calls[ask].sources.end());
      asked += step.calls[ask].sources.size();
    }
    if ((again < kWorthMending && asks.size() < kLoop) || sources.size() < asked) continue;
    to.push_back(
        {.kind = "repeated_work",
         .subject = fmt::format("gradient() of tape {}", second.tape),
         .evidence =
             fmt::format("{} calls ask one persistent tape for the gradient of the same target, each for "
                         "another source: {} backward ops are computed again, {}",
                         asks.size(), ops, format_us(us)),
         .fix = fix_for(
             second.location,
             "ask once for all sources, as in gradient(target, {a, b}): one pass gives them all, and "
             "the tape need not be persistent",
             "ask once for all sources, as in tape.gradient(target, [a, b]): one pass gives them all, "
             "and the tape need not be persistent"),
         .location = std::string(second.location),
         .saving_us = us});
  }
}

}  // namespace

void tapes(const StepView& step, std::vector<AdviceRow>& to) {
  std::map<TapeId, std::vector<std::uint32_t>> calls;
  for (std::uint32_t i = 0; i < step.calls.size(); ++i) calls[step.calls[i].tape].push_back(i);
  // A gradient of a gradient needs the first one recorded.
  const auto differentiated_again = [&](TapeId tape) {
    for (const GradientCall& call : step.calls) {
      for (const TensorId target : call.targets) {
        const std::uint32_t op = step.op_of_tensor(target);
        if (op != kNoOp && (call.tape == tape || step.ops[op].recorded)) {
          if (step.ops[op].direction == Direction::backward) return true;
          for (const std::uint32_t from : step.producers_of(step.ops[op])) {
            if (from != kNoOp && step.ops[from].direction == Direction::backward) return true;
          }
        }
      }
    }
    return false;
  };
  const double call = call_us(step);
  for (const auto& [tape, list] : calls) {
    const GradientCall& first = step.calls[list.front()];
    if (first.inside && first.persistent && !differentiated_again(tape)) {
      double us = 0;
      std::uint32_t recorded = 0;
      for (const OpRow& op : step.ops) {
        if (op.direction != Direction::backward || !op.recorded) continue;
        ++recorded;
        us += op.duration_us;
      }
      if (recorded > 0) {
        to.push_back(
            {.kind = "gradient_inside_block",
             .subject = fmt::format("tape {}", tape),
             .evidence = fmt::format(
                 "gradient() was called inside the block of its persistent tape: {} backward ops ({}) were "
                 "recorded as well, with all they use, and are never differentiated",
                 recorded, format_us(us)),
             .fix = fix_for(first.location, "call gradient() after the block",
                            "call tape.gradient() after the with block, outside of it"),
             .location = std::string(first.location)});
      }
    }
    if (first.persistent && list.size() == 1 && !first.inside && step.counts.saved_bytes >= kWorthFreeing &&
        !walks_again(step, list.front())) {
      to.push_back(
          {.kind = "persistent_tape",
           .subject = fmt::format("tape {}", tape),
           .evidence = fmt::format("the tape is persistent and was asked once: it keeps {} until it "
                                   "is destroyed, instead of giving "
                                   "them back during the backward pass",
                                   format_bytes(static_cast<double>(step.counts.saved_bytes))),
           .fix = fix_for(first.location,
                          "leave persistent off: one call of gradient() needs no persistent tape",
                          "leave persistent=True out: one call of gradient() needs no persistent tape"),
           .location = std::string(first.tape_made.empty() ? first.location : first.tape_made)});
    }
    separate_sources(step, list, to);
    if (list.size() >= kRows) {
      std::map<std::string_view, std::vector<std::uint32_t>> by_line;
      for (const std::uint32_t row : list) by_line[step.calls[row].location].push_back(row);
      for (const auto& [location, rows] : by_line) {
        if (rows.size() < kRows) continue;
        double us = 0;
        bool same_sources = true, other_targets = true, same_targets = true;
        for (const std::uint32_t row : rows) {
          us += step.calls[row].duration_us;
          same_sources = same_sources && step.calls[row].sources == step.calls[rows.front()].sources;
          const auto& other = step.calls[row == rows.front() ? rows.back() : rows.front()].targets;
          (step.calls[row].targets == other ? other_targets : same_targets) = false;
        }
        // One target, and for each call another row of it is picked by what it is multiplied with.
        const bool picked = same_targets && given_to(step, rows).size() >= rows.size();
        if (!same_sources || !(other_targets || picked) ||
            updated_between(step, step.calls[rows.front()], step.calls[rows.back()]))
          continue;
        // One pass for all rows does the same arithmetic: what is saved for certain is the walks' own time,
        // between ops, and the calls of the ops.
        double ops_us = 0, calls_us = 0;
        for (const BackwardStep& walked : step.backward_steps) {
          if (std::find(rows.begin(), rows.end(), walked.call) == rows.end()) continue;
          for (std::uint32_t i = walked.first_op; i < walked.first_op + walked.ops; ++i) {
            ops_us += step.ops[i].duration_us;
            calls_us += std::min(call, step.ops[i].duration_us);
          }
        }
        to.push_back(
            {.kind = "looped_jacobian",
             .subject = fmt::format("tape {}", tape),
             .evidence = fmt::format(
                 "{} backward passes from one line, each for another {} and the same sources, take {}",
                 rows.size(), picked ? "row of the target" : "target", format_us(us)),
             .fix = "ask tape.jacobian() once: it carries all rows through one pass",
             .location = std::string(location),
             .saving_us =
                 (std::max(0.0, us - ops_us) + calls_us) * (1 - 1 / static_cast<double>(rows.size()))});
      }
    }
  }
}

void gradients(const Snapshot& snapshot, std::vector<AdviceRow>& to) {
  const StepView* step = snapshot.complete.get();
  std::uint32_t half = 0, emptied = 0;
  std::string worst;
  double share = 0;
  for (const GradientRow& row : snapshot.gradients) {
    if (row.reason == "host_round_trip") {
      to.push_back({.kind = "host_round_trip",
                    .subject = row.source,
                    .evidence = row.message,
                    .fix = row.fix,
                    .location = row.location});
    }
    if (step == nullptr || !row.has_stats) continue;
    const VariableRow* variable = step->variable(row.source_id);
    const bool is_half =
        variable != nullptr && variable->type != nullptr && variable->type->dtype == DType::f16;
    if (!is_half) continue;
    ++half;
    constexpr double kLost = 0.05;  // of the elements
    if (row.zero_share < kLost) continue;
    ++emptied;
    if (row.zero_share > share) share = row.zero_share, worst = row.source;
  }
  if (half > 0 && emptied > 0) {
    to.push_back(
        {.kind = "loss_scale",
         .subject = worst,
         .evidence = fmt::format(
             "{} of {} float16 gradients hold zeros, {} most of them ({:.0f} %): float16 ends at 6e-8",
             emptied, half, worst, 100 * share),
         .fix = "scale the loss before gradient() and the gradients back, or keep the variables in float32"});
  }
}

namespace {

// What one round costs to trace instead of all, spread over the steps: how fast either graph runs is not
// known.
void unrolled_loops(const Snapshot& snapshot, std::vector<AdviceRow>& to) {
  for (const FunctionRow& function : snapshot.functions) {
    for (const UnrolledLoopRow& loop : function.loops) {
      // A function called in another stands in both graphs, and another trace unrolls it again: one remark
      // for the line.
      const bool known = std::any_of(to.begin(), to.end(), [&](const AdviceRow& row) {
        return row.kind == "unrolled_loop" && row.location == loop.location;
      });
      if (known) continue;
      const double share = static_cast<double>(loop.nodes) / std::max(loop.trace_nodes, 1u);
      to.push_back(
          {.kind = "unrolled_loop",
           .subject = function.name,
           .evidence = fmt::format(
               "{} of the {} nodes that {} was traced to in {} are {} rounds of one loop, from {} on",
               loop.nodes, loop.trace_nodes, function.name, format_us(loop.trace_us), loop.rounds, loop.op),
           .fix = fix_for(loop.location,
                          "give the op a whole batch, or write the loop as while_loop, map_fn or scan, which "
                          "trace their body once",
                          "give the op a whole batch, or loop over tf.range, of which autograph makes a "
                          "tf.while_loop that is traced once"),
           .location = loop.location,
           .saving_us = loop.trace_us * share * (1 - 1.0 / std::max(loop.rounds, 1u)) /
                        static_cast<double>(std::max<std::uint64_t>(snapshot.steps.count(), 1))});
      to.back().helper = {.location = loop.location, .call = {.in_loop = true}};
    }
  }
}

}  // namespace

void functions(const Snapshot& snapshot, std::vector<AdviceRow>& to) {
  // Where so many calls share a trace, tracing is a small part of the run (TensorFlow itself warns of 5
  // traces in 10 calls).
  constexpr std::uint64_t kCallsPerTrace = 8;
  unrolled_loops(snapshot, to);
  for (const FunctionRow& function : snapshot.functions) {
    if (function.library) continue;
    // A trace that later calls used was worth making: full batches and a last one, a flag's two values. One
    // that served a single call was not, unless it is the only one of its function.
    std::vector<const Retrace*> unused;
    for (const Retrace& retrace : function.retraces) {
      if (retrace.served <= 1) unused.push_back(&retrace);
    }
    const bool most = unused.size() * 2 > function.retraces.size();
    if (unused.empty() || !most || function.calls >= kCallsPerTrace * function.traces) continue;
    const RetraceCauses causes = causes_of(unused);
    AdviceRow row;
    row.kind = "retraces";
    row.subject = function.name;
    row.evidence =
        fmt::format("{} was traced {} times in {} calls, {} in all; {} {}", function.name, function.traces,
                    function.calls, format_us(function.trace_us),
                    causes.main == unused.back() ? "the last time because" : "because", causes.text);
    row.fix = causes.fix;
    row.location = causes.main->location;
    const double each = function.trace_us / static_cast<double>(std::max<std::uint64_t>(function.traces, 1));
    row.saving_us = each * static_cast<double>(function.retraces.size()) /
                    static_cast<double>(std::max<std::uint64_t>(snapshot.steps.count(), 1));
    to.push_back(std::move(row));
  }
}

}  // namespace tapescope::advice
