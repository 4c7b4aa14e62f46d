// Questions, values, functions and steps of the C interface.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include "bridges/native/tapescope_c.h"
#include "bridges/native/thread.h"
#include "bridges/native/types.h"
#include "bridges/native/values.h"
#include "engine/core/names.h"
#include "engine/core/type.h"
#include "engine/debug/process_gate.h"
#include "engine/events/clock.h"
#include "engine/events/records/functions.h"
#include "engine/events/records/gradients.h"
#include "engine/events/records/steps.h"
#include "engine/events/session.h"

using namespace tapescope;
using bridge::shared;
using bridge::this_thread;

namespace {

// What lasts beside its thread's other records, for viewers that attach later.
void keep_lasting(const Record& record) {
  std::lock_guard lock(shared().mutex);
  shared().lasting.push_back(std::make_unique<LastingRecord>());
  shared().lasting.back()->keep(record);
}

}  // namespace

uint64_t tapescope_ask(uint32_t tape, int flags, uint32_t depth, uint32_t targets, uint32_t sources,
                       uint32_t site) {
  static std::atomic<std::uint64_t> next{1};
  const std::uint64_t call = next.fetch_add(1, std::memory_order_relaxed);
  this_thread().note(GradientAskRecord{.flags = static_cast<std::uint8_t>(flags),
                                       .depth = static_cast<std::uint16_t>(std::min(depth, 65535u)),
                                       .tape = tape,
                                       .targets = targets,
                                       .sources = sources,
                                       .site = site,
                                       .call = call});
  return call;
}

void tapescope_target(tapescope_tensor id, uint32_t name) {
  this_thread().note(TargetRecord{.name = name, .tensor = id});
}

void tapescope_source(uint32_t index, tapescope_tensor id, uint32_t name) {
  this_thread().note(
      SourceRecord{.index = static_cast<std::uint8_t>(std::min(index, 255u)), .name = name, .tensor = id});
}

void tapescope_backward_begin(uint32_t tape, uint64_t call) {
  this_thread().note(BackwardBeginRecord{.tape = tape, .ticks = ticks(), .call = call});
}

void tapescope_backward_step(uint32_t tape, tapescope_tensor forward_output, uint32_t index) {
  this_thread().note(
      BackwardStepRecord{.tape = tape, .ticks = ticks(), .output = forward_output, .index = index});
}

void tapescope_step_result(const tapescope_seen* seen) {
  bridge::Thread& thread = this_thread();
  if (!thread.listens()) return;
  StepResultRecord record;
  record.forward = static_cast<std::uint8_t>(seen->forward != 0);
  record.values = seen->values;
  record.given = seen->given;
  record.zero_operands = seen->zero_operands;
  record.results = std::bit_cast<ValueMasks>(seen->results);
  record.cotangents = std::bit_cast<ValueMasks>(seen->cotangents);
  record.output = seen->forward_output;
  thread.writer.write(record);
}

void tapescope_graph_ask(uint32_t tape, uint64_t call) {
  this_thread().note(GraphAskRecord{.tape = tape, .call = call});
}

void tapescope_tensor_values(tapescope_tensor id, const tapescope_values* values) {
  TensorValuesRecord record;
  if (!bridge::describe(*values, record)) return;
  record.tensor = id;
  this_thread().note(record);
}

void tapescope_backward_end(uint32_t tape, uint64_t call, int raised) {
  this_thread().note(BackwardEndRecord{.raised = raised != 0, .tape = tape, .ticks = ticks(), .call = call});
}

void tapescope_result(uint32_t index, tapescope_tensor source, uint32_t name, int kind,
                      tapescope_tensor gradient) {
  this_thread().note(ResultRecord{.result = static_cast<ResultKind>(kind),
                                  .name = name,
                                  .source = source,
                                  .gradient = gradient,
                                  .index = index + std::uint64_t{1}});
}

uint16_t tapescope_mark(const tapescope_values* values) { return bridge::values_mark(*values); }

int tapescope_look(const tapescope_values* values) { return bridge::look(*values); }

int tapescope_single(const tapescope_values* values, double* value) {
  return bridge::first_value(*values, *value);
}

void tapescope_gradient_values(tapescope_tensor gradient, uint32_t type, tapescope_tensor source,
                               uint32_t source_name, const tapescope_values* values) {
  bridge::Thread& thread = this_thread();
  if (!thread.listens() || !wants_stats(thread.step)) return;
  TensorStats stats = bridge::stats_of(*values);
  stats.tensor = gradient;
  stats.type = type_with_id(type);
  Session::offer_stats({stats, thread.step, source_name, source});
}

uint32_t tapescope_function_made(int flags, uint32_t name, uint64_t mark, uint32_t site) {
  static std::atomic<std::uint32_t> next{1};
  const std::uint32_t function = next.fetch_add(1, std::memory_order_relaxed);
  const FunctionMadeRecord made{.flags = static_cast<std::uint8_t>(flags),
                                .function = function,
                                .site = site,
                                .name = name,
                                .mark = mark | 1};
  this_thread().note(made);
  keep_lasting(made);
  return function;
}

void tapescope_function_call(uint32_t function, int flags, uint32_t depth, uint64_t traced_ticks,
                             uint32_t number, uint32_t trace, uint32_t site) {
  FunctionCallRecord call{.flags = static_cast<std::uint8_t>(flags),
                          .depth = static_cast<std::uint16_t>(std::min(depth, 65535u)),
                          .function = function,
                          .tracing = traced_ticks,
                          .call = number,
                          .site = site,
                          .trace = trace};
  this_thread().note(call);
  if (!(flags & FunctionCallRecord::kTraced) || (flags & FunctionCallRecord::kRepeated)) return;
  call.flags = FunctionCallRecord::kTraced | FunctionCallRecord::kNotCalled | FunctionCallRecord::kEarlier;
  call.depth = 0;
  keep_lasting(call);
}

void tapescope_trace_argument(uint32_t index, int kind, uint32_t name, uint32_t kept, uint32_t given,
                              uint32_t type, uint32_t alias) {
  const TraceArgumentRecord argument{.what = static_cast<ArgumentKind>(kind),
                                     .name = name,
                                     .key = kept,
                                     .given = given,
                                     .type = type,
                                     .alias = alias,
                                     .index = index + std::uint64_t{1}};
  this_thread().note(argument);
  keep_lasting(argument);
}

void tapescope_trace_parameter(tapescope_tensor symbol, uint32_t depth, uint32_t name, uint32_t place) {
  this_thread().note(TraceParameterRecord{.depth = static_cast<std::uint16_t>(std::min(depth, 65535u)),
                                          .name = name,
                                          .tensor = symbol,
                                          .place = place});
}

void tapescope_unrolled_loop(uint32_t function, uint32_t trace, uint32_t nodes, uint32_t op, uint32_t rounds,
                             uint32_t copied, uint32_t site) {
  const UnrolledLoopRecord loop{.function = function,
                                .trace = trace,
                                .op = op,
                                .site = site,
                                .rounds = rounds,
                                .nodes = copied,
                                .trace_nodes = nodes};
  this_thread().note(loop);
  keep_lasting(loop);
}

void tapescope_function_end(uint32_t function, uint32_t nodes, uint64_t begin) {
  const std::uint64_t end = ticks();
  this_thread().note(FunctionEndRecord{
      .function = function,
      .ticks = end,
      .nodes = nodes,
      .duration = static_cast<std::uint32_t>(std::min<std::uint64_t>(end - begin, 0xffffffffu))});
}

void tapescope_untaken(tapescope_tensor source, uint32_t condition, uint32_t site, uint32_t use) {
  this_thread().note(UntakenRecord{.condition = condition, .source = source, .site = site, .use = use});
}

void tapescope_expansion(uint32_t name, uint32_t site) {
  this_thread().note(ExpansionRecord{.name = name, .ticks = ticks(), .site = site});
}

void tapescope_expansion_end(uint32_t why) {
  this_thread().note(ExpansionEndRecord{.why = why, .ticks = ticks()});
}

tapescope_tensor tapescope_inner_op(const tapescope_op_call* call) {
  bridge::Thread& thread = this_thread();
  const TensorId first = next_tensor_ids(static_cast<int>(std::max<std::size_t>(call->outputs, 1)));
  if (!thread.listens()) return first;
  const bool handle = call->inputs > 0 && bridge::is_handle_type(call->input_type[0]);
  thread.writer.write(InnerOpRecord{
      .flags = static_cast<std::uint8_t>(call->flags | (handle ? InnerOpRecord::kHandle : 0)),
      .name = call->op,
      .site = call->site,
      .ticks = call->end,
      .output = first,
      .type = call->outputs > 0 ? call->output_type[0] : 0,
      .duration = static_cast<std::uint32_t>(std::min<std::uint64_t>(call->end - call->begin, 0xffffffffu))});
  for (std::size_t at = 0; at == 0 || at < call->inputs; at += 3) {
    InnerOperandsRecord operands;
    if (at == 0) {
      operands.inputs = static_cast<std::uint8_t>(std::min<std::size_t>(call->inputs, 255));
      operands.outputs = static_cast<std::uint16_t>(std::min<std::size_t>(call->outputs, 65535));
    }
    operands.first = static_cast<std::uint32_t>(at);
    for (std::size_t k = 0; k < 3 && at + k < call->inputs; ++k) operands.input[k] = call->input[at + k];
    thread.writer.write(operands);
  }
  return first;
}

void tapescope_step_begin(uint64_t step) {
  bridge::Thread& thread = this_thread();
  thread.step = step;
  thread.trains = true;
  {
    std::lock_guard lock(shared().mutex);
    shared().ids.next_step();
  }
  thread.note(StepBeginRecord{.step = step, .ticks = ticks()});
  process_gate_step_begins(step);
}

void tapescope_step_end(uint64_t step, int abandoned) {
  // A stop at the step's end shows a step that has not ended yet.
  process_gate_step_ends(step);
  this_thread().note(StepEndRecord{.abandoned = abandoned != 0, .step = step, .ticks = ticks()});
}

void tapescope_scalar(uint32_t name, double value, uint64_t step) {
  this_thread().note(ScalarRecord{.metric = name, .value = value, .step = step});
}

void tapescope_message(uint32_t text, int severity, uint32_t site) {
  this_thread().note(
      MessageRecord{.severity = static_cast<std::uint8_t>(severity), .text = text, .site = site});
}
