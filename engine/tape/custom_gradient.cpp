// One op for each function's name. Its inputs are the first output, a handle to the gradient function, the
// other outputs, the arguments and the handles of variables; it passes the outputs on.
#include "engine/tape/custom_gradient.h"

#include <cstring>
#include <deque>
#include <mutex>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/gate/state.h"
#include "engine/gate/symbol.h"
#include "engine/ops/ops.h"
#include "engine/ops/variable_read.h"
#include "engine/tape/variable_reads.h"

namespace tapescope {
namespace {

// Attrs: how many outputs, arguments and variables there are.
constexpr int kOutputs = 0, kArguments = 1;

// The handle of no variable: it reads as nothing.
struct Closure : HandleExtension {
  Closure(const Type* type, WithGradient g, std::vector<Variable> v)
      : HandleExtension(type), given(std::move(g)), variables(std::move(v)) {}
  WithGradient given;  // without the outputs
  std::vector<Variable> variables;
};

// Lives as long as a tape keeps it; the gradient function is freed with it.
Tensor make_closure(WithGradient given, std::vector<Variable> variables) {
  Tensor handle(new_tensor(intern_type(DType::resource, {})));
  handle.impl()->extension = new Closure(&handle.type(), std::move(given), std::move(variables));
  return handle;
}

int output_input(int output) { return output == 0 ? 0 : output + 1; }

void infer(InferContext& c) {
  const int outputs = c.attrs.i[kOutputs];
  c.set_outputs(outputs);
  for (int k = 0; k < outputs; ++k) c.out(k, c.inputs[static_cast<std::size_t>(output_input(k))]->type);
}

void copy_kernel(KernelContext& c) {
  for (std::size_t k = 0; k < c.outputs.size(); ++k) {
    const TensorImpl* from = c.inputs[static_cast<std::size_t>(output_input(static_cast<int>(k)))];
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
  const auto& closure = static_cast<const Closure&>(*c.in(1).impl()->extension);
  const int outputs = c.attrs().i[kOutputs], arguments = c.attrs().i[kArguments];
  std::vector<Tensor> dy;
  for (int k = 0; k < outputs; ++k) dy.push_back(c.grad(k));
  VariableGradients gradients;
  if (closure.given.variable_gradient) {
    gradients = closure.given.variable_gradient(dy, closure.variables);
    check_count(c.op().name, "variables", closure.variables.size(), gradients.variables.size());
  } else {
    gradients.arguments = closure.given.gradient(dy);
  }
  check_count(c.op().name, "arguments", static_cast<std::size_t>(arguments), gradients.arguments.size());
  int input = outputs + 1;
  for (Tensor& gradient : gradients.arguments) c.set(input++, std::move(gradient));
  for (Tensor& gradient : gradients.variables) c.set(input++, std::move(gradient));
}

// The rows of each name: one output is passed on as it is, several are copied.
struct NamedRows {
  std::mutex mutex;
  std::deque<OpDef> rows;
  std::unordered_map<std::string_view, const OpDef*> single, several;
};

const OpDef& row_of(std::string_view name, bool single) {
  static NamedRows known;
  std::lock_guard lock(known.mutex);
  auto& by_name = single ? known.single : known.several;
  if (const auto found = by_name.find(name); found != by_name.end()) return *found->second;
  const OpNameId id = intern_op_name(name);
  const OpDef& row = known.rows.emplace_back(OpDef{
      .name = op_name_text(id),
      .infer = infer,
      .kernel = single ? nullptr : copy_kernel,
      .saves = OpDef::in_bit(1),
      .vjp = vjp,
      .flags = single ? OpDef::kView : 0u,
      .doc = "outputs of a program's function, with the gradient it gave",
      .id = id,
  });
  by_name.emplace(row.name, &row);
  return row;
}

}  // namespace

bool is_custom_gradient(const OpDef& op) { return op.vjp == vjp; }

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
  std::vector<TensorImpl*> inputs{outputs[0].impl(), handle.impl()};
  for (std::size_t k = 1; k < outputs.size(); ++k) inputs.push_back(outputs[k].impl());
  for (const Tensor& argument : x) inputs.push_back(argument.impl());
  for (const Variable& variable : variables) inputs.push_back(variable.handle().impl());
  TensorList results;
  apply(row_of(name, outputs.size() == 1), inputs, attrs, location, results);
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
