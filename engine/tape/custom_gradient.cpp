// One op for each function's name. Its inputs are the first output, a handle to the gradient function, the
// traced tensors that the gradient function holds, the other outputs, the arguments and the handles of
// variables; it passes the outputs on.
//
// What the gradient function holds of a trace has a meaning in that graph alone. As inputs of the op such
// tensors are saved and follow it wherever its node goes: into the graph of a caller, of a branch, of a
// gradient. There the inputs stand in for the tensors while the gradient function runs.
#include "engine/tape/custom_gradient.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "engine/gate/state.h"
#include "engine/gate/symbol.h"
#include "engine/ops/ops.h"
#include "engine/ops/variable_read.h"
#include "engine/tape/variable_reads.h"

namespace tapescope {
namespace {

// Attrs: how many outputs, arguments, variables and held tensors there are.
constexpr int kOutputs = 0, kArguments = 1, kHeld = 3;

// The handle of no variable: it reads as nothing.
struct Closure : HandleExtension {
  Closure(const Type* type, WithGradient g, std::vector<Variable> v, std::vector<Tensor> h)
      : HandleExtension(type), given(std::move(g)), variables(std::move(v)), held(std::move(h)) {}
  VariableGradients gradients(std::span<const Tensor> dy) const {
    if (given.variable_gradient) return given.variable_gradient(dy, variables);
    return {given.gradient(dy), {}};
  }
  WithGradient given;  // without the outputs
  std::vector<Variable> variables;
  std::vector<Tensor> held;  // symbols that the gradient function reads
};

// Lives as long as a tape keeps it; the gradient function is freed with it.
Tensor make_closure(WithGradient given, std::vector<Variable> variables) {
  Tensor handle(new_tensor(intern_type(DType::resource, {})));
  handle.impl()->extension = new Closure(&handle.type(), std::move(given), std::move(variables), {});
  return handle;
}

Closure& closure_of(const Tensor& handle) { return static_cast<Closure&>(*handle.impl()->extension); }

// A gradient function may call itself, as that of exp does. Once the gradient is traced to stay, those in it
// are looked into too; so this far is enough for what differentiates inside of it.
constexpr int kLookInto = 3;

// The closure keeps the symbols that its gradient function reads: running it once, in a trace that is given
// up, shows which. Returns tensors of the same values that no tape knows, so that the backward pass goes
// round them as it goes round the body.
std::vector<Tensor> hold_traced(const Tensor& handle, std::span<const Tensor> outputs,
                                const Location& location) {
  TraceScope* trace = current_trace();
  if (!trace || trace->apart >= kLookInto) return {};
  Closure& closure = closure_of(handle);
  std::vector<const Type*> types;
  for (const Tensor& output : outputs) types.push_back(&output.type());
  closure.held = trace->read_by(types, [&](std::span<const Tensor> dy) {
    const VariableReads reads(VariableReads::Notify::apart);
    ThreadState& ts = state();
    ts.backward_depth = 1;  // the trace puts both back
    ts.origin = &location;
    closure.gradients(dy);
  });
  std::vector<Tensor> here;
  for (const Tensor& symbol : closure.held) here.push_back(trace->another(symbol));
  return here;
}

std::size_t output_input(int output, const Attrs& attrs) {
  return output == 0 ? 0 : static_cast<std::size_t>(output + 1 + attrs.i[kHeld]);
}

void infer(InferContext& c) {
  const int outputs = c.attrs.i[kOutputs];
  c.set_outputs(outputs);
  for (int k = 0; k < outputs; ++k) c.out(k, c.inputs[output_input(k, c.attrs)]->type);
}

void copy_kernel(KernelContext& c) {
  for (std::size_t k = 0; k < c.outputs.size(); ++k) {
    const TensorImpl* from = c.inputs[output_input(static_cast<int>(k), c.attrs)];
    std::memcpy(c.outputs[k].impl()->data, from->data, static_cast<std::size_t>(from->type->bytes));
  }
}

[[noreturn]] void fail_here(ErrorKind kind, std::string_view name, const std::string& message) {
  const Location* place = state().origin;
  fail(kind, name, message, place);
}

void check_count(std::string_view name, std::string_view what, std::size_t expected, std::size_t got) {
  if (expected == got) return;
  fail_here(ErrorKind::value, name,
            fmt::format("the gradient function returned {} gradients for its {}, expected {}; return one for "
                        "each, None where "
                        "there is none",
                        got, what, expected));
}

void vjp(VjpContext& c) {
  const Closure& closure = closure_of(c.in(1));
  const int outputs = c.attrs().i[kOutputs], arguments = c.attrs().i[kArguments], held = c.attrs().i[kHeld];
  std::vector<Tensor> dy, here;
  for (int k = 0; k < outputs; ++k) dy.push_back(c.grad(k));
  for (int h = 0; h < held; ++h) here.push_back(c.in(kFirstHeld + h));
  const StandIns stand_in(closure.held, here);
  VariableGradients gradients = closure.gradients(dy);
  if (closure.given.variable_gradient)
    check_count(c.op().name, "variables", closure.variables.size(), gradients.variables.size());
  check_count(c.op().name, "arguments", static_cast<std::size_t>(arguments), gradients.arguments.size());
  int input = kFirstHeld + held + outputs - 1;
  for (Tensor& gradient : gradients.arguments) c.set(input++, std::move(gradient));
  for (Tensor& gradient : gradients.variables) c.set(input++, std::move(gradient));
}

// The rows of each name: one output is passed on as it is, several are copied; the handle and held tensors
// are saved, all inputs from the fifteenth on together.
struct NamedRows {
  using Form = std::pair<bool, std::size_t>;  // one output, and how many are held
  std::mutex mutex;
  std::deque<OpDef> rows;
  std::map<std::pair<OpNameId, Form>, const OpDef*> known;
};

const OpDef& row_of(std::string_view name, bool single, std::size_t held) {
  static NamedRows rows;
  std::lock_guard lock(rows.mutex);
  const OpNameId id = intern_op_name(name);
  const std::size_t saved = std::min<std::size_t>(1 + held, 15);
  const OpDef*& row = rows.known[{id, {single, saved}}];
  if (row) return *row;
  row = &rows.rows.emplace_back(OpDef{
      .name = op_name_text(id),
      .infer = infer,
      .kernel = single ? nullptr : copy_kernel,
      .saves = (OpDef::in_bit(static_cast<int>(saved) + 1) - 1) & ~OpDef::in_bit(0),
      .vjp = vjp,
      .flags = single ? OpDef::kView : 0u,
      .doc = "outputs of a program's function, with the gradient it gave",
      .id = id,
  });
  return *row;
}

}  // namespace

bool is_custom_gradient(const OpDef& op) { return op.vjp == vjp; }

int held_inputs(const OpDef& op, const Attrs& attrs) { return is_custom_gradient(op) ? attrs.i[kHeld] : 0; }

const OpDef& without_held(const OpDef& op, Attrs& attrs) {
  attrs.i[kHeld] = 0;
  return row_of(op.name, attrs.i[kOutputs] == 1, 0);
}

std::vector<Tensor> outputs_with_gradient(std::string_view name, std::span<const Tensor> x,
                                          std::vector<Variable> variables, WithGradient closure,
                                          const Location& location) {
  std::vector<Tensor> outputs = std::move(closure.outputs);
  closure.outputs.clear();
  if (outputs.empty())
    fail(ErrorKind::value, name, "the function returned no outputs, expected at least one", &location);
  Attrs attrs;
  attrs.push(static_cast<std::int64_t>(outputs.size()));
  attrs.push(static_cast<std::int64_t>(x.size()));
  attrs.push(static_cast<std::int64_t>(variables.size()));
  const Tensor handle = make_closure(std::move(closure), variables);
  const std::vector<Tensor> held = hold_traced(handle, outputs, location);
  attrs.push(static_cast<std::int64_t>(held.size()));
  std::vector<TensorImpl*> inputs{outputs[0].impl(), handle.impl()};
  for (const Tensor& tensor : held) inputs.push_back(tensor.impl());
  for (std::size_t k = 1; k < outputs.size(); ++k) inputs.push_back(outputs[k].impl());
  for (const Tensor& argument : x) inputs.push_back(argument.impl());
  for (const Variable& variable : variables) inputs.push_back(variable.handle().impl());
  TensorList results;
  apply(row_of(name, outputs.size() == 1, held.size()), inputs, attrs, location, results);
  return {results.span().begin(), results.span().end()};
}

std::vector<Tensor> CustomGradient::call(std::span<const Tensor> x, Location location) const {
  for (const Tensor& argument : x) {
    if (!argument) fail(ErrorKind::value, name_, "an argument is None, expected a tensor", &location);
  }
  VariableReads reads;
  WithGradient result = function_(x);
  const std::vector<Variable> variables = reads.variables();
  if (!result.gradient && !result.variable_gradient) {
    fail(ErrorKind::type, name_,
         "the function returned no gradient function; set `gradient`, or `variable_gradient` where it reads "
         "variables",
         &location);
  }
  if (!variables.empty() && !result.variable_gradient) {
    fail(
        ErrorKind::type, name_,
        fmt::format(
            "the function reads variable '{}', which its gradient function knows nothing of; give a "
            "variable_gradient that returns gradients for variables too, or pass the variable as an argument",
            variables[0].name()),
        &location);
  }
  for (Tensor& output : result.outputs) {
    if (!output) fail(ErrorKind::value, name_, "an output is None, expected a tensor", &location);
    // A new tensor for each, as TensorFlow makes one; and one that no tape knows, so that the backward pass
    // goes round the body.
    output = identity({output, location});
    if (!is_symbol(output)) output = Tensor(new_view(output.impl(), &output.type(), output.impl()->data));
  }
  return outputs_with_gradient(name_, x, variables, std::move(result), location);
}

Tensor CustomGradient::one(std::initializer_list<Tensor> x, const Location& location) const {
  std::vector<Tensor> outputs = call(std::span(x.begin(), x.size()), location);
  if (outputs.size() != 1) {
    fail(ErrorKind::value, name_,
         fmt::format("the function has {} outputs; use call() for all of them", outputs.size()), &location);
  }
  return std::move(outputs[0]);
}

Tensor CustomGradient::operator()(const Arg& x) const { return one({x.tensor()}, x.location()); }
Tensor CustomGradient::operator()(const Arg& x, const Arg& y) const {
  return one({x.tensor(), y.tensor()}, x.location());
}
Tensor CustomGradient::operator()(const Arg& x, const Arg& y, const Arg& z) const {
  return one({x.tensor(), y.tensor(), z.tensor()}, x.location());
}

}  // namespace tapescope
