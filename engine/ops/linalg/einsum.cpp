// Einstein summation: the equation is written out in plain letters before it reaches the row.
#include <algorithm>
#include <string>
#include <vector>

#include "engine/gate/arguments.h"
#include "engine/kernels/einsum.h"
#include "engine/ops/batch_rules.h"
#include "engine/ops/linalg/rows.h"
#include "engine/ops/shape.h"

namespace tapescope {
namespace {

using namespace rows;
using kernels::EinsumEquation;

// ---- the row: one or two operands, a letter for each dimension; a letter may repeat

EinsumEquation equation_of(const Attrs& attrs) { return EinsumEquation(name_text(attrs.text)); }

void einsum_infer(InferContext& c) {
  const EinsumEquation e = equation_of(c.attrs);
  std::int64_t sizes[128];
  std::fill(sizes, sizes + 128, -1);
  for (int k = 0; k < c.input_count(); ++k) {
    const Type& type = c.in(k);
    const std::string_view labels = k == 0 ? e.a : e.b;
    if (type.dtype != c.in(0).dtype) {
      c.fail(fmt::format("the operands' dtypes differ, expected one dtype, got {} and {}; cast one of them",
                         c.in(0).text(), type.text()));
    }
    if (type.dtype >= DType::boolean) refuse_dtype(c, type.dtype);
    if (static_cast<int>(labels.size()) != type.shape.rank()) {
      c.fail(fmt::format("equation {} names {} dimensions of operand {}, got {}", name_text(c.attrs.text),
                         labels.size(), k, type.text()));
    }
    for (int i = 0; i < type.shape.rank(); ++i) {
      std::int64_t& size = sizes[static_cast<int>(labels[static_cast<std::size_t>(i)])];
      if (size >= 0 && size != type.shape[i]) {
        c.fail(fmt::format("dimension '{}' of equation {} has two sizes, {} and {} in {}",
                           labels[static_cast<std::size_t>(i)], name_text(c.attrs.text), size, type.shape[i],
                           type.text()));
      }
      size = type.shape[i];
    }
  }
  Shape out;
  for (char label : e.out) out.push_back(sizes[static_cast<int>(label)]);
  c.out(c.in(0).dtype, out);
}
void einsum_kernel(KernelContext& c) {
  const EinsumEquation e = equation_of(c.attrs);
  kernels::einsum(e, c.in_type(0).dtype, c.in<void>(0), c.in_type(0).shape,
                  e.binary ? c.in<void>(1) : nullptr, e.binary ? &c.in_type(1).shape : nullptr, c.out<void>(),
                  c.out_type().shape);
}
OpCost einsum_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs& attrs) {
  if (attrs.text == 0) return {0, bytes_moved(in, out)};
  return {kernels::einsum_flops(equation_of(attrs), in[0]->shape, in.size() > 1 ? &in[1]->shape : nullptr),
          bytes_moved(in, out)};
}

Tensor einsum_raw(const std::string& equation, const Tensor& a, const Tensor* b, const Location& location);

// The cotangent of the operand with labels `own` beside `other`: the equation turned round. A letter that
// only this operand has was summed out: its cotangent is the same for every index, hence broadcast. A letter
// that stands twice was taken from the diagonal, where its cotangent belongs.
Tensor turned(VjpContext& c, std::string_view own, std::string_view other, const Tensor* beside,
              const Shape& shape) {
  const EinsumEquation e = equation_of(c.attrs());
  std::string once, reached;
  Ints with_ones;
  Shape target;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (once.find(own[i]) != std::string::npos) continue;
    once += own[i];
    const bool found =
        e.out.find(own[i]) != std::string_view::npos || other.find(own[i]) != std::string_view::npos;
    if (found) reached += own[i];
    with_ones.push_back(found ? shape[static_cast<int>(i)] : 1);
    target.push_back(shape[static_cast<int>(i)]);
  }
  const Location here = Location::current();
  std::string equation(e.out);
  if (beside) equation += "," + std::string(other);
  const bool whole = reached == once;
  Tensor g = einsum_raw(equation + "->" + (whole ? std::string(own) : reached), c.grad(), beside, here);
  if (whole) return g;
  g = broadcast_to(reshape(g, with_ones), target);
  return once.size() == own.size() ? g : einsum_raw(once + "->" + std::string(own), g, nullptr, here);
}
void einsum_vjp(VjpContext& c) {
  const EinsumEquation e = equation_of(c.attrs());
  if (c.needs(0)) c.set(0, turned(c, e.a, e.b, e.binary ? &c.in(1) : nullptr, c.in_type(0).shape));
  if (e.binary && c.needs(1)) c.set(1, turned(c, e.b, e.a, &c.in(0), c.in_type(1).shape));
}

constinit const OpDef kEinsum = {
    .name = "Einsum",
    .infer = einsum_infer,
    .kernel = einsum_kernel,
    .saves = kIn0 | kIn1,
    .vjp = einsum_vjp,
    .linearity = Linearity::multilinear,
    .batch = BatchRule::custom,
    .batched = batch_rules::einsum,
    .cost = einsum_cost,
    .doc = "Einstein summation by the equation in text; gradients by the equation turned round"};

constexpr const OpDef* kLinalgEinsumRows[] = {&kEinsum};

Tensor einsum_raw(const std::string& equation, const Tensor& a, const Tensor* b, const Location& location) {
  Attrs attrs;
  attrs.text = intern_name(equation);
  TensorImpl* inputs[] = {a.impl(), b ? b->impl() : nullptr};
  return apply(kEinsum, OpInputs(inputs, b ? 2 : 1), attrs, location);
}

// ---- the function: "..." becomes capital letters, missing outputs are derived, many operands go pairwise

[[noreturn]] void refuse_equation(std::string_view equation, std::string_view why, const Location& at) {
  fail(ErrorKind::value, "Einsum",
       fmt::format("equation \"{}\" {}; expected one like \"ij,jk->ik\"", equation, why), &at);
}

struct Parsed {
  std::vector<std::string> inputs;
  std::string output;
  bool has_output = false;
};
Parsed parse(std::string_view equation, const Location& at) {
  Parsed p;
  p.inputs.emplace_back();
  std::string* to = &p.inputs[0];
  for (std::size_t i = 0; i < equation.size(); ++i) {
    const char ch = equation[i];
    if (ch == ' ') continue;
    if (ch == ',' && !p.has_output) {
      p.inputs.emplace_back();
      to = &p.inputs.back();
    } else if (equation.substr(i, 2) == "->" && !p.has_output) {
      p.has_output = true;
      to = &p.output;
      ++i;
    } else if (equation.substr(i, 3) == "...") {
      if (to->find('.') != std::string::npos)
        refuse_equation(equation, "has two ellipses in one operand", at);
      *to += '.';
      i += 2;
    } else if ((ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z')) {
      *to += ch;
    } else {
      refuse_equation(equation, fmt::format("has an unexpected '{}'", ch), at);
    }
  }
  return p;
}

// Letters for the dimensions of ellipses, counted from the last: ones the equation does not use.
std::string free_letters(const Parsed& p) {
  std::string used = p.output, letters;
  for (const std::string& input : p.inputs) used += input;
  for (char ch : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")) {
    if (used.find(ch) == std::string::npos) letters += ch;
  }
  return letters;
}

}  // namespace

std::span<const OpDef* const> rows::einsum_rows() { return kLinalgEinsumRows; }

Tensor einsum(std::string_view equation, std::span<const Tensor> operands, Location location) {
  const Location& at = location;
  Parsed p = parse(equation, at);
  if (p.inputs.size() != operands.size()) {
    refuse_equation(equation, fmt::format("names {} operands, got {}", p.inputs.size(), operands.size()), at);
  }
  const InputList checked("Einsum", operands, at);
  for (const Tensor& operand : operands) {
    if (!operand)
      fail(ErrorKind::value, "Einsum", "got None where a tensor is expected; test the tensor before using it",
           &at);
  }
  const std::string letters = free_letters(p);
  std::vector<Tensor> tensors(operands.begin(), operands.end());
  // Sizes that dimensions of ellipses broadcast to, from the last.
  std::vector<std::int64_t> sizes;
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    const std::string& labels = p.inputs[k];
    const std::size_t dots = labels.find('.');
    const int named = static_cast<int>(labels.size()) - (dots == std::string::npos ? 0 : 1),
              rank = tensors[k].rank();
    if (dots == std::string::npos ? named != rank : named > rank) {
      refuse_equation(
          equation,
          fmt::format("names {} dimensions of operand {}, got {}", named, k, tensors[k].type().text()), at);
    }
    for (int i = 0; dots != std::string::npos && i < rank - named; ++i) {
      const std::int64_t size = tensors[k].dim(static_cast<int>(dots) + rank - named - 1 - i);
      if (i >= static_cast<int>(sizes.size())) sizes.push_back(1);
      if (size != 1) sizes[static_cast<std::size_t>(i)] = size;
    }
  }
  std::string ellipsis;
  for (std::size_t i = sizes.size(); i-- > 0;) ellipsis += letters[i];
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    std::string& labels = p.inputs[k];
    const std::size_t dots = labels.find('.');
    if (dots == std::string::npos) continue;
    const int count = tensors[k].rank() - static_cast<int>(labels.size()) + 1;
    // A dimension of size 1 beside a larger one is dropped: the other operand alone decides there.
    std::string own;
    Ints shape;
    bool dropped = false;
    for (int d = 0; d < tensors[k].rank(); ++d) {
      const int i = static_cast<int>(dots) + count - 1 - d;
      const bool inside = d >= static_cast<int>(dots) && d < static_cast<int>(dots) + count;
      if (inside && tensors[k].dim(d) == 1 && sizes[static_cast<std::size_t>(i)] != 1) {
        dropped = true;
        continue;
      }
      if (inside) own += letters[static_cast<std::size_t>(i)];
      shape.push_back(tensors[k].dim(d));
    }
    labels = labels.substr(0, dots) + own + labels.substr(dots + 1);
    if (dropped) tensors[k] = reshape({tensors[k], at}, shape);
  }
  if (!p.has_output) {
    // Letters that occur once, in alphabetical order, after the ellipsis.
    std::string all;
    for (const std::string& input : p.inputs) all += input;
    std::string single;
    for (char ch : all) {
      if (std::count(all.begin(), all.end(), ch) == 1 && ellipsis.find(ch) == std::string::npos) single += ch;
    }
    std::sort(single.begin(), single.end());
    p.output = ellipsis + single;
  } else if (const std::size_t dots = p.output.find('.'); dots != std::string::npos) {
    p.output = p.output.substr(0, dots) + ellipsis + p.output.substr(dots + 1);
  }
  for (char ch : p.output) {
    const bool known = std::any_of(p.inputs.begin(), p.inputs.end(),
                                   [&](const std::string& s) { return s.find(ch) != std::string::npos; });
    if (!known) refuse_equation(equation, fmt::format("has '{}' in the output but in no operand", ch), at);
    if (std::count(p.output.begin(), p.output.end(), ch) > 1)
      refuse_equation(equation, fmt::format("has '{}' twice in the output", ch), at);
  }
  std::string labels = p.inputs[0];
  Tensor result = tensors[0];
  if (tensors.size() == 1) return einsum_raw(labels + "->" + p.output, result, nullptr, at);
  for (std::size_t k = 1; k < tensors.size(); ++k) {
    // What later operands or the output still need stays.
    std::string later = p.output, kept;
    for (std::size_t j = k + 1; j < tensors.size(); ++j) later += p.inputs[j];
    for (char ch : labels + p.inputs[k]) {
      if (later.find(ch) != std::string::npos && kept.find(ch) == std::string::npos) kept += ch;
    }
    if (k + 1 == tensors.size()) kept = p.output;
    result = einsum_raw(labels + "," + p.inputs[k] + "->" + kept, result, &tensors[k], at);
    labels = kept;
  }
  return result;
}

Tensor einsum(std::string_view equation, std::initializer_list<Tensor> operands, Location location) {
  return einsum(equation, std::span(operands.begin(), operands.size()), location);
}

}  // namespace tapescope
