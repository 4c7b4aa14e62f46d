// Elementwise ops of one, two or three arguments.
#include "tests/tools/goldens/ops.h"

namespace tapescope::goldens {
namespace {

template <Tensor (*kFunction)(const Arg&)>
Tensors one(Tensorspan x, const Attributes&) {
  return {kFunction(x[0])};
}

template <Tensor (*kFunction)(const Arg&, const Arg&)>
Tensors two(Tensorspan x, const Attributes&) {
  return {kFunction(x[0], x[1])};
}

constexpr NamedRun kRuns[] = {
    {"neg", one<negative>},
    {"abs", one<abs>},
    {"sign", one<sign>},
    {"square", one<square>},
    {"sqrt", one<sqrt>},
    {"rsqrt", one<rsqrt>},
    {"reciprocal", one<reciprocal>},
    {"exp", one<exp>},
    {"expm1", one<expm1>},
    {"log", one<log>},
    {"log1p", one<log1p>},
    {"sin", one<sin>},
    {"cos", one<cos>},
    {"tan", one<tan>},
    {"asin", one<asin>},
    {"acos", one<acos>},
    {"atan", one<atan>},
    {"sinh", one<sinh>},
    {"cosh", one<cosh>},
    {"asinh", one<asinh>},
    {"acosh", one<acosh>},
    {"atanh", one<atanh>},
    {"tanh", one<tanh>},
    {"sigmoid", one<sigmoid>},
    {"relu", one<relu>},
    {"relu6", one<relu6>},
    {"elu", one<elu>},
    {"selu", one<selu>},
    {"softplus", one<softplus>},
    {"softsign", one<softsign>},
    {"leaky_relu",
     [](Tensorspan x, const Attributes& a) -> Tensors { return {leaky_relu(x[0], a.number("alpha", 0.2))}; }},
    {"gelu",
     [](Tensorspan x, const Attributes& a) -> Tensors { return {gelu(x[0], a.flag("approximate"))}; }},
    {"gelu_approximate", [](Tensorspan x, const Attributes&) -> Tensors { return {gelu(x[0], true)}; }},
    {"silu", one<silu>},
    {"erf", one<erf>},
    {"erfc", one<erfc>},
    {"lgamma", one<lgamma>},
    {"digamma", one<digamma>},
    {"floor", one<floor>},
    {"ceil", one<ceil>},
    {"round", one<round>},
    {"identity", one<identity>},
    {"stop_gradient", one<static_cast<Tensor (*)(const Arg&)>(stop_gradient)>},
    {"is_nan", one<is_nan>},
    {"is_inf", one<is_inf>},
    {"is_finite", one<is_finite>},
    {"ones_like", one<ones_like>},
    {"zeros_like", one<zeros_like>},
    {"log_sigmoid", one<log_sigmoid>},
    {"clip_by_value",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {clip_by_value(x[0], a.number("min"), a.number("max"))};
     }},
    {"clip_by_norm",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {clip_by_norm(x[0], a.number("norm"), a.axes("axes"))};
     }},
    {"cast",
     [](Tensorspan x, const Attributes& a) -> Tensors { return {cast(x[0], dtype_named(a.text("to")))}; }},
    {"add", two<add>},
    {"sub", two<subtract>},
    {"mul", two<multiply>},
    {"div", two<divide>},
    {"pow", two<pow>},
    {"maximum", two<maximum>},
    {"minimum", two<minimum>},
    {"squared_difference", two<squared_difference>},
    {"divide_no_nan", two<divide_no_nan>},
    {"atan2", two<atan2>},
    {"floormod", two<floormod>},
    {"floordiv", two<floordiv>},
    {"xlogy", two<xlogy>},
    {"xdivy", two<xdivy>},
    {"xlog1py", two<xlog1py>},
    {"less", two<less>},
    {"less_equal", two<less_equal>},
    {"greater", two<greater>},
    {"greater_equal", two<greater_equal>},
    {"equal", two<equal>},
    {"not_equal", two<not_equal>},
    {"where", [](Tensorspan x, const Attributes&) -> Tensors { return {where(x[0], x[1], x[2])}; }},
    {"where_sqrt_trap",
     [](Tensorspan x, const Attributes&) -> Tensors {
       return {where(x[0] > 0, sqrt(x[0]), zeros_like(x[0]))};
     }},
    {"add_n", [](Tensorspan x, const Attributes&) -> Tensors { return {add_n(x)}; }},
};

}  // namespace

std::span<const NamedRun> elementwise_runs() { return kRuns; }

}  // namespace tapescope::goldens
