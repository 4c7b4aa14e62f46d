// The gate itself.
#include "engine/gate/apply.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/slices.h"
#include "engine/debug/gate.h"
#include "engine/events/records/tensors.h"
#include "engine/gate/after.h"
#include "engine/gate/densify.h"
#include "engine/gate/earlier_tensors.h"
#include "engine/gate/infer_checks.h"
#include "engine/gate/op_record.h"
#include "engine/gate/state.h"
#include "engine/gate/symbol.h"

namespace tapescope {
namespace {

// Below this many bytes an op is shorter than a clock read is dear: its time starts where the last op's
// ended.
constexpr std::int64_t kOwnStartBytes = 16384;

// True when an input is kept as rows only, which no kernel reads.
bool check_arguments(const OpDef& op, OpInputs inputs, const Location& location) {
  bool sparse = false;
  for (TensorImpl* input : inputs) {
    if (input == nullptr) {
      fail(ErrorKind::value, op.name,
           "got None (a gradient that does not exist, or a tensor never made) where a tensor is expected; "
           "test the tensor before using it",
           &location);
    }
    if (input->extension) [[unlikely]] {
      check_in_reach(input, op.name, location);
      if (input->extension->kind == TensorExtension::Kind::batch && state().interceptors.empty()) {
        fail(ErrorKind::value, op.name,
             "got one row of a batch after the batch has ended (a gradient function of a program's own kept "
             "it?); "
             "use it inside only (hint: JacobianOptions vectorized = false)",
             &location);
      }
      sparse |= slices_of(input) != nullptr;
    }
  }
  return sparse;
}

// The same inputs with all their rows.
struct DenseInputs {
  DenseInputs(const OpDef& op, OpInputs inputs, const Location& location) {
    for (TensorImpl* input : inputs) {
      const Tensor tensor = Tensor::share(input);
      held.push_back(slices_of(input) ? densify(tensor, op.name, location) : tensor);
      borrowed.push_back(held.back().impl());
    }
  }
  std::vector<Tensor> held;
  std::vector<TensorImpl*> borrowed;
};

// An error of a kernel or a shape, which know no place, again with the place of the call. What a shape
// refuses, the op whose shape it would be does.
[[noreturn]] void fail_at(const OpDef& op, const Error& error, const Location& location) {
  constexpr std::string_view kOfShape = "[shape] ";
  const std::string_view message = error.what();
  const bool of_shape = message.starts_with(kOfShape), placed = message.find(" (at ") != message.npos;
  if (placed && !of_shape) throw;
  std::string text =
      of_shape ? fmt::format("[{}] {}", op.name, message.substr(kOfShape.size())) : std::string(message);
  if (!placed) text += fmt::format(" (at {})", location_text(location));
  throw Error(error.kind(), text);
}

// Infers, allocates, runs. Output ids are consecutive.
void execute(const OpDef& op, InferContext& infer, std::span<Tensor> outputs) {
  if (op.flags & OpDef::kView) {
    TensorImpl* base = infer.inputs[0];
    outputs[0] = Tensor(new_view(base, infer.types()[0], base->data));
    return;
  }
  const int count = infer.outputs;
  if (!(op.flags & OpDef::kMakesOutputs)) {
    for (int i = 0; i < count; ++i) outputs[i] = Tensor(new_tensor(infer.types()[i]));
  }
  // A kernel that makes several outputs itself gives them ids that follow each other.
  if (count > 1 && !(op.flags & OpDef::kMakesOutputs)) {
    const TensorId first = next_tensor_ids(count);
    for (int i = 0; i < count; ++i) outputs[i].impl()->id = first + static_cast<TensorId>(i);
  }
  KernelContext kernel{infer.inputs, outputs, infer.attrs};
  try {
    op.kernel(kernel);
  } catch (const Error& error) {
    fail_at(op, error, infer.location);
  }
}

// An op's own time ends now; without a begin it began where the last one ended.
Ticks end_stamp(ThreadState& ts, Ticks& begin) {
  const Ticks end = ticks();
  if (begin == 0) begin = ts.last_ticks ? ts.last_ticks : end;  // a thread's first op has no begin to go by
  ts.last_ticks = end;
  return end;
}

constinit thread_local EarlierTensors earlier_tensors;

// What the debugger sees at a forward node: the call as it was made.
class CallFrame : public FrameSource {
 public:
  explicit CallFrame(const OpCall& call) : call_(call) {}
  void describe(Frame& frame) const override {
    frame.attrs = call_.attrs;
    for (TensorImpl* input : call_.inputs) {
      frame.inputs.push_back({std::string(name_text(input->name)), Tensor::share(input)});
    }
    for (const Tensor& output : call_.outputs) frame.outputs.push_back({std::string(output.name()), output});
  }

 private:
  const OpCall& call_;
};

// What was held for a session that is over goes; what the op made and read is held for one that listens.
[[gnu::noinline]] void keep_flight(ThreadState& ts, std::uint32_t listen, const OpCall& call) {
  if (listen & kReleaseFlight) ts.release_flight();
  if (listen & kListenFlight) ts.flight.ran(call.inputs, call.outputs);
}

// Steps 4 to 7; forward mode last.
[[gnu::noinline]] void after(ThreadState& ts, std::uint32_t listen, const OpCall& call, Ticks begin) {
  Ticks end = 0;
  if (listen & kListenEvents) end = end_stamp(ts, begin);
  std::uint32_t answers = 0;
  bool all_recorded = listen & kListenTapes;
  bool recorded = false;
  if (listen & kListenTapes) {
    int position = 0;
    for (TapeListener* tape : ts.tapes) {
      const TapeAnswer answer = ts.silenced ? TapeAnswer::silenced : tape->offer(call);
      if (answer == TapeAnswer::recorded) {
        recorded = true;
      } else {
        all_recorded = false;
      }
      if (position < kMaxAnswers) answers |= static_cast<std::uint32_t>(answer) << (4 * position);
      ++position;
    }
  }
  if ((listen & kListenEvents) || (!all_recorded && (listen & kListenShadow))) {
    const auto flags = static_cast<std::uint8_t>((ts.backward_depth ? OpRecord::kBackward : 0) |
                                                 (ts.silenced ? OpRecord::kSilenced : 0));
    write_op_record(ts, call.op, call.inputs, call.outputs,
                    {intern_site(call.location, ts.scope), flags, answers, begin, end});
  }
  if (listen & kListenGate) {
    DebugGate* const gate = DebugGate::bound();
    const bool node = recorded && ts.backward_depth == 0;
    if (gate && !call.outputs.empty() && (node || gate->visits_all_ops())) {
      gate->arrive({.backward = ts.backward_depth > 0,
                    .inside = !node,
                    .op = call.op.id,
                    .output = call.outputs[0].id(),
                    .site = intern_site(call.location, ts.scope)},
                   CallFrame(call));
      ts.mark_time();
    }
  }
  if (listen & (kListenFlight | kReleaseFlight)) keep_flight(ts, listen, call);
  // The ops that push tangents come after the op in every order: of the tape, of records, of the cursor.
  if (listen & kListenForward) {
    for (ForwardListener* accumulator : ts.accumulators) accumulator->executed(call);
  }
}

Ticks begin_stamp(std::uint32_t listen, const OpDef& op, OpInputs inputs) {
  if (!(listen & kListenEvents)) return 0;
  if (op.flags & OpDef::kWaits) return ticks();
  for (TensorImpl* input : inputs) {
    if (input->type->bytes >= kOwnStartBytes) return ticks();
  }
  return 0;
}

template <class T>
bool among(std::span<T* const> list, const T* one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

}  // namespace

void infer_placed(const OpDef& op, InferContext& infer) {
  try {
    op.infer(infer);
  } catch (const Error& error) {
    fail_at(op, error, infer.location);
  }
}

void call_ran(const OpCall& call, Ticks begin) {
  ThreadState& ts = state();
  if (const std::uint32_t listen = ts.listen.load(std::memory_order_relaxed)) after(ts, listen, call, begin);
}

void call_traced(const OpCall& call, std::span<TapeListener* const> outside_tapes,
                 std::span<ForwardListener* const> outside_accumulators) {
  ThreadState& ts = state();
  std::uint32_t answers = 0;
  int position = 0;
  for (TapeListener* tape : ts.tapes) {
    if (!among(outside_tapes, tape) && !call.outputs.empty()) {  // an update of a variable is never recorded
      const TapeAnswer answer = ts.silenced ? TapeAnswer::silenced : tape->offer(call);
      if (position < kMaxAnswers) answers |= static_cast<std::uint32_t>(answer) << (4 * position);
    }
    ++position;
  }
  if (ts.listen.load(std::memory_order_relaxed) & (kListenEvents | kListenShadow)) {
    const auto flags = static_cast<std::uint8_t>((ts.backward_depth ? OpRecord::kBackward : 0) |
                                                 (ts.silenced ? OpRecord::kSilenced : 0) | OpRecord::kTraced);
    write_op_record(ts, call.op, call.inputs, call.outputs,
                    {intern_site(call.location, ts.scope), flags, answers, 0, 0});
  }
  for (ForwardListener* accumulator : ts.accumulators) {
    if (!among(outside_accumulators, accumulator)) accumulator->executed(call);
  }
}

void write_op_record(ThreadState& ts, const OpDef& op, OpInputs in, std::span<const Tensor> out,
                     const OpStamp& stamp) {
  const auto inputs = static_cast<std::uint32_t>(in.size());
  const auto outputs = static_cast<std::uint32_t>(out.size());
  // A call with more operands than fit a chunk is written in pieces; readers join them.
  constexpr std::uint32_t kMaxPiece = 64;
  if (ts.listen.load(std::memory_order_relaxed) & kListenEvents) {
    for (TensorImpl* input : in) {
      if (input->type->dtype != DType::resource && earlier_tensors.wants(input->id))
        ts.note(EarlierTensorRecord{.tensor = input->id, .type = input->type->id});
    }
  }
  Record* at = ts.writer.reserve(2);
  const bool handle = inputs > 0 && in[0]->type->dtype == DType::resource;
  new (at)
      OpRecord{.flags = static_cast<std::uint8_t>(stamp.flags | gradient_flags(op, inputs) |
                                                  (handle ? OpRecord::kHandle : 0)),
               .name = op.id,
               .site = stamp.site,
               .ticks = stamp.end,
               .output = outputs ? out[0].id() : 0,
               .type = outputs ? out[0].type().id : 0,
               .duration = static_cast<std::uint32_t>(std::min<Ticks>(stamp.end - stamp.begin, 0xffffffffu))};
  auto* operands =
      new (at + 1) OperandsRecord{.inputs = static_cast<std::uint8_t>(std::min(inputs, 255u)),
                                  .outputs = static_cast<std::uint16_t>(std::min(outputs, 65535u)),
                                  .answers = stamp.answers};
  for (std::uint32_t i = 0; i < std::min(inputs, 3u); ++i) operands->input[i] = in[i]->id;
  ts.writer.publish(2);
  for (std::uint32_t i = 3; i < inputs;) {
    const std::uint32_t pieces = std::min((inputs - i + 2) / 3, kMaxPiece);
    Record* more = ts.writer.reserve(pieces);
    for (std::uint32_t p = 0; p < pieces; ++p) {
      auto* next = new (more + p) OperandsRecord{.answers = i};
      for (int k = 0; k < 3 && i < inputs; ++k, ++i) next->input[k] = in[i]->id;
    }
    ts.writer.publish(pieces);
  }
  for (std::uint32_t i = 1; i < outputs; ++i) {
    ts.writer.write(OutputRecord{.index = static_cast<std::uint16_t>(std::min(i, 65535u)),
                                 .tensor = out[i].id(),
                                 .type = out[i].type().id});
  }
}

void InferContext::set_outputs(int count) {
  outputs = count;
  if (count > kInline) heap = new const Type*[count]();
}

void InferContext::fail(std::string_view message) const {
  tapescope::fail(ErrorKind::invalid_argument, op.name, message, &location);
}

void apply(const OpDef& op, OpInputs inputs, const Attrs& attrs, const Location& given, TensorList& outputs) {
  ThreadState& ts = state();
  const Location& location = ts.origin ? *ts.origin : given;
  if (check_arguments(op, inputs, location)) [[unlikely]] {
    return apply(op, DenseInputs(op, inputs, location).borrowed, attrs, given, outputs);
  }
  if (!ts.interceptors.empty()) [[unlikely]] {
    if (ts.interceptors.back()->apply(op, inputs, attrs, location, outputs)) return;
  }
  const std::uint32_t listen = ts.listen.load(std::memory_order_relaxed);
  const Ticks begin = begin_stamp(listen, op, inputs);
  InferContext infer{op, inputs, attrs, location};
  infer_placed(op, infer);
  outputs.resize(infer.outputs);
  execute(op, infer, outputs.span());
  if (listen != 0) after(ts, listen, {op, inputs, attrs, location, outputs.span()}, begin);
}

Tensor apply(const OpDef& op, OpInputs inputs, const Attrs& attrs, const Location& given) {
  ThreadState& ts = state();
  const Location& location = ts.origin ? *ts.origin : given;
  if (check_arguments(op, inputs, location)) [[unlikely]] {
    return apply(op, DenseInputs(op, inputs, location).borrowed, attrs, given);
  }
  if (!ts.interceptors.empty()) [[unlikely]] {
    TensorList outputs;
    if (ts.interceptors.back()->apply(op, inputs, attrs, location, outputs)) return std::move(outputs[0]);
  }
  const std::uint32_t listen = ts.listen.load(std::memory_order_relaxed);
  const Ticks begin = begin_stamp(listen, op, inputs);
  InferContext infer{op, inputs, attrs, location};
  infer_placed(op, infer);
  if (infer.outputs != 1) [[unlikely]] {
    TensorList outputs;
    outputs.resize(infer.outputs);
    execute(op, infer, outputs.span());
    if (listen != 0) after(ts, listen, {op, inputs, attrs, location, outputs.span()}, begin);
    return std::move(outputs[0]);
  }
  Tensor output;
  execute(op, infer, {&output, 1});
  if (listen != 0) after(ts, listen, {op, inputs, attrs, location, {&output, 1}}, begin);
  return output;
}

}  // namespace tapescope
