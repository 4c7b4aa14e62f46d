// Preparation and stepping of the backward pass. Linear time; dense arrays; no recursion, no hash maps.
#include "engine/tape/cursor.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/events/records/gradients.h"
#include "engine/gate/symbol.h"
#include "engine/ops/ops.h"
#include "engine/ops/slices.h"
#include "engine/ops/tensor_list.h"
#include "engine/tape/custom_gradient.h"

namespace tapescope {

namespace {

// In `missing_`: the node is not wanted, or waits in the queue already.
constexpr std::int32_t kNotCollected = -1;
constexpr std::int32_t kQueued = -2;

// While a function is traced nothing runs: there is nothing to stop at.
DebugGate* gate_here() { return current_trace() ? nullptr : DebugGate::bound(); }

}  // namespace

Cursor::Cursor(TapeStorage& tape, std::span<const Traced> targets, std::span<const Traced> sources,
               const GradientOptions& options)
    : tape_(tape),
      sources_(sources),
      arrays_(tape.arrays ? std::move(tape.arrays) : std::make_unique<CursorArrays>()),
      source_values_(arrays_->source_values),
      uses_(arrays_->uses),
      missing_(arrays_->missing),
      is_source_(arrays_->is_source),
      useful_(arrays_->useful),
      pending_(arrays_->pending),
      more_(arrays_->more),
      queue_(arrays_->queue),
      listener_(options.listener),
      output_gradients_(arrays_->output_gradients),
      input_gradients_(arrays_->input_gradients) {
  const std::size_t values = tape.values.size();
  is_source_.assign(values, 0);
  for (const Traced& source : sources_) {
    const std::uint32_t value = source.tensor() ? tape.find(source.tensor()) : kNoValue;
    source_values_.push_back(value);
    if (value != kNoValue) is_source_[value] = 1;
  }
  if (options.prune) mark_useful();
  collect(targets);
  pending_.resize(values);
  seed(targets, options);
  keep_frame_ = gate_here() != nullptr;
}

Cursor::~Cursor() {
  arrays_->clear();
  tape_.arrays = std::move(arrays_);
}

void CursorArrays::clear() {
  source_values.clear();
  uses.clear();
  missing.clear();
  is_source.clear();
  useful.clear();
  pending.clear();
  more.clear();
  queue.clear();
  stack.clear();
  complete.clear();
  output_gradients.clear();
  input_gradients.clear();
}

// Forward over the nodes: a value is useful when it is a source or made from a useful one.
void Cursor::mark_useful() {
  useful_.assign(is_source_.begin(), is_source_.end());
  for (std::uint32_t n = 0; n < tape_.nodes.size(); ++n) {
    const Node& node = tape_.nodes[n];
    bool useful = false;
    for (std::uint32_t i = 0; i < node.inputs && !useful; ++i) {
      const std::uint32_t value = tape_.inputs[node.first_input + i].value;
      useful = value != kNoValue && useful_[value];
    }
    if (!useful) continue;
    for (std::uint32_t k = 0; k < node.outputs; ++k) useful_[node.first_value + k] = 1;
  }
}

// Nodes the targets depend on, how often each value is used by them, and the nodes to begin with.
void Cursor::collect(std::span<const Traced> targets) {
  uses_.assign(tape_.values.size(), 0);
  missing_.assign(tape_.nodes.size(), kNotCollected);
  std::vector<std::uint32_t>& stack = arrays_->stack;
  const auto visit = [&](std::uint32_t value) {
    if (value == kNoValue || (!useful_.empty() && !useful_[value])) return;
    const std::uint32_t node = tape_.values[value].node;
    if (node == kNoValue || missing_[node] >= 0) return;
    missing_[node] = 0;
    stack.push_back(node);
    ++total_;
  };
  for (const Traced& target : targets) visit(tape_.find(target.tensor()));
  while (!stack.empty()) {
    const Node& node = tape_.nodes[stack.back()];
    stack.pop_back();
    for (std::uint32_t i = 0; i < node.inputs; ++i) {
      const std::uint32_t value = tape_.inputs[node.first_input + i].value;
      if (value == kNoValue) continue;
      ++uses_[value];
      visit(value);
    }
  }
  for (std::uint32_t n = 0; n < missing_.size(); ++n) {
    if (missing_[n] < 0) continue;
    const Node& node = tape_.nodes[n];
    for (std::uint32_t k = 0; k < node.outputs; ++k) missing_[n] += uses_[node.first_value + k] > 0;
  }
  // Independent targets: the last one first (design/engine.md, where we part from TensorFlow).
  queue_.reserve(total_);
  for (std::size_t t = targets.size(); t-- > 0;) {
    const std::uint32_t value = tape_.find(targets[t].tensor());
    if (value == kNoValue) continue;
    const std::uint32_t node = tape_.values[value].node;
    if (node == kNoValue || missing_[node] != 0) continue;
    missing_[node] = kQueued;
    queue_.push_back(node);
  }
}

void Cursor::seed(std::span<const Traced> targets, const GradientOptions& options) {
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const std::uint32_t value = tape_.find(targets[t].tensor());
    const Type& target = targets[t].type();
    if (value == kNoValue || !(is_floating(target.dtype) || is_list(target))) continue;
    if (t < options.output_gradients.size()) {
      add(value, options.output_gradients[t]);
    } else {
      add(value, make_full(target.shape, 1, target.dtype));
    }
  }
}

void Cursor::add(std::uint32_t value, Tensor gradient) {
  Pending& pending = pending_[value];
  if (!pending.first) {
    pending.first = std::move(gradient);
    return;
  }
  std::uint32_t slot = free_more_;
  if (slot != kNoValue) {
    free_more_ = more_[slot].next;
    more_[slot] = {std::move(gradient), kNoValue};
  } else {
    slot = static_cast<std::uint32_t>(more_.size());
    more_.push_back({std::move(gradient), kNoValue});
  }
  if (pending.more == kNoValue) {
    pending.more = slot;
    pending.count = 2;
  } else {
    more_[pending.last].next = slot;
    ++pending.count;
  }
  pending.last = slot;
  // Many large contributions are summed early, as TensorFlow does, to bound memory.
  constexpr std::int64_t kEarlyBytes = std::int64_t{128} << 20;
  if (pending.count > 4 && pending.count * pending.first.numel() * 4 > kEarlyBytes) {
    pending.first = aggregate(pending, true);
  }
}

// One contribution passes through unchanged; more become one AddN in order of arrival.
Tensor Cursor::aggregate(Pending& pending, bool take) {
  if (pending.more == kNoValue) return take ? std::move(pending.first) : pending.first;
  std::vector<Tensor> terms{pending.first};
  for (std::uint32_t m = pending.more; m != kNoValue;) {
    const std::uint32_t next = more_[m].next;
    terms.push_back(std::move(more_[m].gradient));
    more_[m].next = free_more_;
    free_more_ = m;
    m = next;
  }
  pending.more = kNoValue;
  // Rows stay rows while there is nothing else among them.
  const bool sparse = std::all_of(terms.begin(), terms.end(), is_indexed_slices);
  Tensor sum = sparse ? concat_slices(terms) : is_list(terms[0].type()) ? add_lists(terms) : add_n(terms);
  pending.first = take ? Tensor() : sum;
  return sum;
}

const Attrs& Cursor::attrs() const { return node_->attrs == kNoValue ? kNoAttrs : tape_.attrs[node_->attrs]; }

const Tensor& Cursor::in(int i) const {
  const std::uint32_t saves = node_->op->saves;
  std::uint32_t at = node_->first_saved;
  for (int k = 0; k < i; ++k) at += saves >> std::min(k, 15) & 1;
  return tape_.saved[at];
}

const Tensor& Cursor::out(int i) const {
  const std::uint32_t saves = node_->op->saves;
  std::uint32_t at = node_->first_saved;
  for (std::uint32_t k = 0; k < node_->inputs; ++k) at += saves >> std::min(k, 15u) & 1;
  for (int k = 0; k < i; ++k) at += saves >> (16 + std::min(k, 15)) & 1;
  return tape_.saved[at];
}

const Type& Cursor::in_type(int i) const {
  return *type_with_id(tape_.inputs[node_->first_input + static_cast<std::uint32_t>(i)].type);
}

const Type& Cursor::out_type(int i) const {
  return *type_with_id(tape_.values[node_->first_value + static_cast<std::uint32_t>(i)].type);
}

bool Cursor::needs(int i) const {
  const std::uint32_t value = tape_.inputs[node_->first_input + static_cast<std::uint32_t>(i)].value;
  return value != kNoValue && tape_.values[value].trainable && (useful_.empty() || useful_[value]);
}

void Cursor::set(int i, Tensor cotangent) {
  input_gradients_[static_cast<std::size_t>(i)] = std::move(cotangent);
}

// Sums a cotangent back to the shape of an input that was broadcast.
Tensor Cursor::fit(Tensor cotangent, std::uint32_t input) {
  const std::uint32_t type = tape_.inputs[node_->first_input + input].type;
  if (!cotangent || cotangent.type().id == type) return cotangent;
  const Type& wanted = *type_with_id(type);
  if (wanted.dtype == DType::resource || cotangent.shape() == wanted.shape) return cotangent;
  const Shape& from = cotangent.shape();
  const int extra = from.rank() - wanted.shape.rank();
  if (extra < 0) return cotangent;  // not a broadcast: passed on as it is, as TensorFlow does
  int axes[kMaxRank];
  std::size_t count = 0;
  for (int d = 0; d < from.rank(); ++d) {
    if (d < extra || (wanted.shape[d - extra] == 1 && from[d] != 1)) {
      axes[count++] = d;
    } else if (wanted.shape[d - extra] != from[d]) {
      return cotangent;
    }
  }
  Tensor sum = count == 0 ? cotangent : reduce_sum(cotangent, Axes(std::span<const int>(axes, count)));
  return sum.shape() == wanted.shape ? sum : reshape(sum, wanted.shape);
}

void Cursor::run_vjp(const Node& node) {
  const OpDef& def = *node.op;
  if (!def.vjp) {
    if (def.no_gradient == NoGradient::unregistered) {
      fail(ErrorKind::lookup, def.name,
           "no gradient is registered for this op, and a gradient reaches it; compute it another way or keep "
           "it "
           "off the path with stop_gradient",
           &node.location);
    }
    return;
  }
  if (!(def.flags & OpDef::kAbsentGradients)) {
    for (int k = 0; k < node.outputs; ++k) {
      Tensor& gradient = output_gradients_[static_cast<std::size_t>(k)];
      const Type& type = out_type(k);
      if (!gradient) gradient = make_full(type.shape, 0, type.dtype);
    }
  }
  def.vjp(*this);
  // What a program's own gradient returns is passed on as it is, whatever its shape, as in TensorFlow.
  const bool custom = is_custom_gradient(def);
  for (std::uint32_t i = 0; i < node.inputs; ++i) {
    Tensor& gradient = input_gradients_[i];
    if (!needs(static_cast<int>(i))) {
      gradient = Tensor();
    } else if (!custom) {
      gradient = fit(std::move(gradient), i);
    }
  }
}

void Cursor::enqueue_ready(std::uint32_t value) {
  const std::uint32_t node = tape_.values[value].node;
  if (node == kNoValue || missing_[node] < 0) return;
  if (--missing_[node] != 0) return;
  missing_[node] = kQueued;
  queue_.push_back(node);
}

void Cursor::finish_inputs(const Node& node) {
  for (std::uint32_t i = 0; i < node.inputs; ++i) {
    const std::uint32_t value = tape_.inputs[node.first_input + i].value;
    if (value == kNoValue) continue;
    if (input_gradients_[i]) {
      if (keep_frame_) {
        add(value, input_gradients_[i]);
      } else {
        add(value, std::move(input_gradients_[i]));
      }
    }
    if (--uses_[value] != 0) continue;
    if (listener_ != nullptr && is_source_[value]) arrays_->complete.push_back(value);
    enqueue_ready(value);
  }
}

void Cursor::notify_complete() {
  for (const std::uint32_t value : arrays_->complete) {
    if (!pending_[value].first) continue;
    const Tensor gradient = aggregate(pending_[value], false);
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      if (source_values_[s] == value) listener_->complete(s, gradient);
    }
  }
  arrays_->complete.clear();
}

void Cursor::release_saved(Node& node) {
  if (tape_.persistent || keep_saved_) return;
  for (std::uint32_t i = 0; i < node.saved; ++i) tape_.saved[node.first_saved + i] = Tensor();
  node.released = true;
}

bool Cursor::step() {
  if (head_ == queue_.size()) return false;
  const std::uint32_t index = queue_[head_++];
  Node& node = tape_.nodes[index];
  node_ = &node;
  ThreadState& ts = state();
  if ((ts.listen.load(std::memory_order_relaxed) & kListenEvents) && !current_trace()) {
    ts.last_ticks = ticks();
    ts.writer.write(BackwardStepRecord{.custom = is_custom_gradient(*node.op),
                                       .tape = tape_.id,
                                       .ticks = ts.last_ticks,
                                       .output = node.output,
                                       .index = walked_});
  } else if (is_custom_gradient(*node.op)) {
    // That it was reached is what proves that a missing gradient is the program's own doing.
    ts.note(BackwardStepRecord{.custom = 1, .tape = tape_.id, .output = node.output, .index = walked_});
  }
  ++walked_;
  const Location* outer_origin = ts.origin;
  const ScopeId outer_scope = ts.scope;
  ts.origin = &node.location;
  ts.scope = node.scope;
  ++ts.backward_depth;
  struct Restore {
    ThreadState& ts;
    const Location* origin;
    ScopeId scope;
    ~Restore() {
      ts.origin = origin;
      ts.scope = scope;
      --ts.backward_depth;
    }
  };
  {
    Restore restore{ts, outer_origin, outer_scope};
    output_gradients_.resize(node.outputs);
    input_gradients_.assign(node.inputs, Tensor());
    bool any = false;
    for (std::uint32_t k = 0; k < node.outputs; ++k) {
      const std::uint32_t value = node.first_value + k;
      output_gradients_[k] = aggregate(pending_[value], !is_source_[value]);
      any |= static_cast<bool>(output_gradients_[k]);
    }
    if (keep_frame_) {
      frame_saved_.clear();
      for (std::uint32_t i = 0; i < node.saved; ++i) {
        frame_saved_.push_back(tape_.saved[node.first_saved + i]);
      }
    }
    if (any) run_vjp(node);
    if (ts.backward_depth == 1) {
      if (TraceScope* trace = current_trace())
        trace->walked(node.output, output_gradients_, input_gradients_);
      else if (ts.in_flight()) ts.flight.walked(node.output, output_gradients_, input_gradients_);
    }
    finish_inputs(node);
    release_saved(node);
  }
  if (keep_frame_ && ts.backward_depth == 0) {
    if (DebugGate* gate = gate_here()) {
      gate->arrive({.backward = true,
                    .op = node.op->id,
                    .output = node.output,
                    .site = intern_site(node.location, node.scope)},
                   *this);
      ts.mark_time();
    }
  }
  if (!keep_frame_) {
    for (Tensor& gradient : output_gradients_) gradient = Tensor();
  }
  if (!arrays_->complete.empty()) notify_complete();
  return true;
}

void Cursor::stop_before() {
  ThreadState& ts = state();
  if (ts.backward_depth != 0) return;
  if (DebugGate* gate = gate_here()) gate->arrive_between(Breakpoint::Kind::backward, {}, *this);
}

std::vector<Tensor> Cursor::results() {
  std::vector<Tensor> gradients;
  gradients.reserve(sources_.size());
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const std::uint32_t value = source_values_[s];
    gradients.push_back(value == kNoValue ? Tensor() : aggregate(pending_[value], false));
  }
  return gradients;
}

void Cursor::describe(Frame& frame) const {
  for (const Tensor& gradient : output_gradients_) frame.cotangents_in.push_back({"", gradient});
  if (node_) {
    frame.attrs = attrs();
    for (const Tensor& tensor : frame_saved_) frame.inputs.push_back({std::string(tensor.name()), tensor});
    for (std::uint32_t i = 0; i < input_gradients_.size(); ++i) {
      frame.cotangents_out.push_back({"", input_gradients_[i]});
    }
  }
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const std::uint32_t value = source_values_[s];
    if (value == kNoValue) continue;
    const Pending& pending = pending_[value];
    const auto add = [&](const Tensor& part) {
      frame.accumulated.push_back({.name = sources_[s].name(),
                                   .value = part,
                                   .source = sources_[s].tensor().id(),
                                   .source_index = static_cast<std::uint32_t>(s)});
    };
    add(pending.first);
    for (std::uint32_t m = pending.more; m != kNoValue; m = more_[m].next) add(more_[m].gradient);
  }
}

void Cursor::sources(SourceNames& names) const {
  for (const Traced& source : sources_) names.note(source.name(), source.tensor().id());
}

void Cursor::sums(std::vector<SourceSum>& sums) const {
  if (!node_) return;
  sums_.resize(sources_.size());
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const std::uint32_t value = source_values_[s];
    if (value == kNoValue || !pending_[value].first) continue;
    std::size_t uses = 0, added = 0;  // of the node's operands
    for (std::uint32_t i = 0; i < node_->inputs; ++i) {
      if (tape_.inputs[node_->first_input + i].value != value) continue;
      ++uses;
      added += static_cast<bool>(input_gradients_[i]);
    }
    const bool whole = uses > 0 && uses_[value] == 0;
    if (added == 0 && !whole) continue;
    const Pending& pending = pending_[value];
    std::vector<const Tensor*> parts{&pending.first};
    for (std::uint32_t m = pending.more; m != kNoValue; m = more_[m].next)
      parts.push_back(&more_[m].gradient);
    SumSoFar& so_far = sums_[s];
    // Parts that were summed early cannot be distinguished any more.
    const std::size_t before = parts.size() - std::min(added, parts.size());
    if (so_far.first != parts[0]->id() || so_far.parts > before) so_far = {.first = parts[0]->id()};
    bool adds = true;
    const auto add_to = [&](std::size_t end) {
      for (; so_far.parts < end && adds; ++so_far.parts) adds = so_far.sum.add(*parts[so_far.parts]);
    };
    SourceSum sum{.name = sources_[s].name(), .source = sources_[s].tensor().id(), .whole = whole};
    add_to(before);
    if (before > 0) sum.before = so_far.sum.stats();
    add_to(parts.size());
    if (!adds) continue;
    sum.now = so_far.sum.stats();
    sums.push_back(std::move(sum));
  }
}

}  // namespace tapescope
