// Reductions and scans, linear algebra, shape and index ops.
#include "tests/tools/goldens/ops.h"

namespace tapescope::goldens {
namespace {

template <Tensor (*kFunction)(const Arg&, const Axes&, bool)>
Tensors reduced(Tensorspan x, const Attributes& a) {
  return {kFunction(x[0], a.axes("axis"), a.flag("keepdims"))};
}

template <Tensor (*kFunction)(const Arg&, int, bool, bool)>
Tensors scanned(Tensorspan x, const Attributes& a) {
  return {kFunction(x[0], a.integer("axis", 0), a.flag("exclusive"), a.flag("reverse"))};
}

template <Tensor (*kFunction)(const Arg&)>
Tensors one(Tensorspan x, const Attributes&) {
  return {kFunction(x[0])};
}

PadMode pad_mode(const Attributes& a) {
  const std::string mode = a.text("mode", "constant");
  if (mode == "reflect") return PadMode::reflect;
  return mode == "symmetric" ? PadMode::symmetric : PadMode::constant;
}

Tensors split_run(Tensorspan x, const Attributes& a) {
  const int axis = a.integer("axis", 0);
  return a.has("sizes") ? split(x[0], std::span<const std::int64_t>(a.list("sizes")), axis)
                        : split(x[0], a.integer("num"), axis);
}

Tensors repeat_run(Tensorspan x, const Attributes& a) {
  const int axis = a.integer("axis", 0);
  if (!a.is_list("repeats")) return {repeat(x[0], a.integer("repeats"), axis)};
  return {repeat(x[0], std::span<const std::int64_t>(a.list("repeats")), axis)};
}

Tensors boolean_mask_run(Tensorspan x, const Attributes& a) {
  if (x.size() > 1) return {boolean_mask(x[0], x[1], a.integer("axis", 0))};
  const std::vector<bool> given = a.flags("mask");
  const std::vector<double> mask(given.begin(), given.end());
  return {boolean_mask(x[0], make_tensor(mask, Shape{static_cast<std::int64_t>(mask.size())}, DType::boolean),
                       a.integer("axis", 0))};
}

Tensors top_k_run(Tensorspan x, const Attributes& a) {
  const auto [values, indices] = top_k(x[0], a.integer("k"));
  return {values, indices};
}

constexpr NamedRun kRuns[] = {
    {"reduce_sum", reduced<reduce_sum>},
    {"reduce_mean", reduced<reduce_mean>},
    {"reduce_max", reduced<reduce_max>},
    {"reduce_min", reduced<reduce_min>},
    {"reduce_prod", reduced<reduce_prod>},
    {"reduce_all", reduced<reduce_all>},
    {"reduce_any", reduced<reduce_any>},
    {"reduce_logsumexp", reduced<reduce_logsumexp>},
    {"reduce_std", reduced<reduce_std>},
    {"reduce_variance", reduced<reduce_variance>},
    {"reduce_euclidean_norm", reduced<reduce_euclidean_norm>},
    {"norm", reduced<norm>},
    {"cumsum", scanned<cumsum>},
    {"cumprod", scanned<cumprod>},
    {"argmax",
     [](Tensorspan x, const Attributes& a) -> Tensors { return {argmax(x[0], a.integer("axis", 0))}; }},
    {"argmin",
     [](Tensorspan x, const Attributes& a) -> Tensors { return {argmin(x[0], a.integer("axis", 0))}; }},

    {"matmul",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {matmul(x[0], x[1], a.flag("transpose_a"), a.flag("transpose_b"))};
     }},
    {"matmul_self", [](Tensorspan x, const Attributes&) -> Tensors { return {matmul(x[0], x[0])}; }},
    {"einsum", [](Tensorspan x, const Attributes& a) -> Tensors { return {einsum(a.text("equation"), x)}; }},
    {"matrix_inverse", [](Tensorspan x, const Attributes&) -> Tensors { return {matrix_inverse(x[0])}; }},
    {"matrix_solve", [](Tensorspan x, const Attributes&) -> Tensors { return {matrix_solve(x[0], x[1])}; }},
    {"cholesky", one<cholesky>},
    {"matrix_determinant", one<matrix_determinant>},
    {"trace", one<trace>},
    {"diag_part", one<matrix_diag_part>},
    {"diag", one<matrix_diag>},
    {"triangular_solve",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {triangular_solve(x[0], x[1], !a.has("lower") || a.flag("lower"))};
     }},

    {"reshape",
     [](Tensorspan x, const Attributes& a) -> Tensors { return {reshape(x[0], a.ints("shape"))}; }},
    {"transpose",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {a.has("perm") ? transpose(x[0], a.ints("perm")) : transpose(x[0])};
     }},
    {"expand_dims",
     [](Tensorspan x, const Attributes& a) -> Tensors { return {expand_dims(x[0], a.integer("axis"))}; }},
    {"squeeze", [](Tensorspan x, const Attributes& a) -> Tensors { return {squeeze(x[0], a.axes("axis"))}; }},
    {"broadcast_to",
     [](Tensorspan x, const Attributes& a) -> Tensors { return {broadcast_to(x[0], a.shape("shape"))}; }},
    {"concat", [](Tensorspan x, const Attributes& a) -> Tensors { return {concat(x, a.integer("axis"))}; }},
    {"split", split_run},
    {"stack", [](Tensorspan x, const Attributes& a) -> Tensors { return {stack(x, a.integer("axis", 0))}; }},
    {"unstack",
     [](Tensorspan x, const Attributes& a) -> Tensors { return unstack(x[0], a.integer("axis", 0)); }},
    {"slice",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {slice(x[0], a.ints("begin"), a.ints("size"))};
     }},
    {"strided_slice",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {strided_slice(x[0], a.ints("begin"), a.ints("end"), a.ints("strides"))};
     }},
    {"pad",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {pad(x[0], std::span<const Padding>(a.margins()), pad_mode(a), a.number("value", 0))};
     }},
    {"tile", [](Tensorspan x, const Attributes& a) -> Tensors { return {tile(x[0], a.ints("multiples"))}; }},
    {"repeat", repeat_run},
    {"reverse", [](Tensorspan x, const Attributes& a) -> Tensors { return {reverse(x[0], a.axes("axis"))}; }},
    {"roll",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {roll(x[0], a.integer("shift"), a.integer("axis"))};
     }},
    {"gather",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {gather(x[0], x[1], a.integer("axis", 0), a.integer("batch_dims", 0))};
     }},
    {"gather_nd", [](Tensorspan x, const Attributes&) -> Tensors { return {gather_nd(x[0], x[1])}; }},
    {"scatter_nd",
     [](Tensorspan x, const Attributes& a) -> Tensors { return {scatter_nd(x[0], x[1], a.shape("shape"))}; }},
    {"unsorted_segment_sum",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {unsorted_segment_sum(x[0], x[1], a.integer("num_segments"))};
     }},
    {"one_hot",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {one_hot(x[0], a.integer("depth"), a.number("on", 1), a.number("off", 0), a.dtype(),
                       a.integer("axis", -1))};
     }},
    {"boolean_mask", boolean_mask_run},
    {"sort",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {sort(x[0], a.integer("axis", -1), a.flag("descending"))};
     }},
    {"top_k", top_k_run},
    {"range_free",
     [](Tensorspan x, const Attributes& a) -> Tensors { return {at(x[0], 0) * cast(range(4), a.dtype())}; }},
};

}  // namespace

std::span<const NamedRun> array_runs() { return kRuns; }

}  // namespace tapescope::goldens
