// Wrong shapes, dtypes and None, for every op that takes tensors: a result or one Error, never a crash, and
// the tape around goes on.
#include <functional>

#include "engine/ops/ops.h"
#include "engine/ops/slices.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/op_rows.h"

using namespace tapescope;

namespace {

using Call = std::function<void(std::span<const Tensor>)>;
struct Op {
  std::string name;
  int arguments;
  Call call;
};

template <Tensor (*kFunction)(const Arg&)>
Op one(const char* name) {
  return {name, 1, [](std::span<const Tensor> x) { kFunction(x[0]); }};
}
template <Tensor (*kFunction)(const Arg&, const Arg&)>
Op two(const char* name) {
  return {name, 2, [](std::span<const Tensor> x) { kFunction(x[0], x[1]); }};
}
template <Tensor (*kFunction)(const Arg&, const Axes&, bool)>
Op reduced(const char* name) {
  return {name, 1, [](std::span<const Tensor> x) { kFunction(x[0], 1, false); }};
}

std::vector<Op> other_ops() {
  return {
      one<zeros_like>("zeros_like"),
      one<identity>("identity"),
      one<flatten>("flatten"),
      one<l2_loss>("l2_loss"),
      one<cholesky>("cholesky"),
      one<matrix_determinant>("matrix_determinant"),
      one<matrix_diag>("matrix_diag"),
      one<matrix_diag_part>("matrix_diag_part"),
      one<trace>("trace"),
      one<bias_add_grad>("bias_add_grad"),
      one<where_indices>("where_indices"),
      one<invert_permutation>("invert_permutation"),
      two<bias_add>("bias_add"),
      two<softmax_grad>("softmax_grad"),
      two<gather_nd>("gather_nd"),
      two<segment_sum>("segment_sum"),
      two<sparse_softmax_cross_entropy_with_logits>("sparse_softmax_cross_entropy"),
      two<sigmoid_cross_entropy_with_logits>("sigmoid_cross_entropy"),
      reduced<reduce_sum>("reduce_sum"),
      reduced<reduce_mean>("reduce_mean"),
      reduced<reduce_max>("reduce_max"),
      reduced<reduce_prod>("reduce_prod"),
      reduced<reduce_all>("reduce_all"),
      reduced<reduce_logsumexp>("reduce_logsumexp"),
      reduced<reduce_std>("reduce_std"),
      reduced<norm>("norm"),
      {"cumsum", 1, [](std::span<const Tensor> x) { cumsum(x[0], 1); }},
      {"cumprod", 1, [](std::span<const Tensor> x) { cumprod(x[0], 1); }},
      {"argmax", 1, [](std::span<const Tensor> x) { argmax(x[0], 1); }},
      {"clip_by_norm", 1, [](std::span<const Tensor> x) { clip_by_norm(x[0], 1); }},
      {"clip_by_value", 3, [](std::span<const Tensor> x) { clip_by_value(x[0], x[1], x[2]); }},
      {"cast", 1, [](std::span<const Tensor> x) { cast(x[0], DType::f16); }},
      {"where", 3, [](std::span<const Tensor> x) { where(x[0], x[1], x[2]); }},
      {"add_n", 2, [](std::span<const Tensor> x) { add_n(x); }},
      {"matmul", 2, [](std::span<const Tensor> x) { matmul(x[0], x[1]); }},
      {"matvec", 2, [](std::span<const Tensor> x) { matvec(x[0], x[1]); }},
      {"einsum", 2, [](std::span<const Tensor> x) { einsum("ij,jk->ik", x); }},
      {"matrix_inverse", 1, [](std::span<const Tensor> x) { matrix_inverse(x[0]); }},
      {"matrix_solve", 2, [](std::span<const Tensor> x) { matrix_solve(x[0], x[1]); }},
      {"triangular_solve", 2, [](std::span<const Tensor> x) { triangular_solve(x[0], x[1]); }},
      {"matrix_band_part", 1, [](std::span<const Tensor> x) { matrix_band_part(x[0], 1, 0); }},
      {"reshape", 1,
       [](std::span<const Tensor> x) {
         reshape(x[0], {2, -1});
       }},
      {"expand_dims", 1, [](std::span<const Tensor> x) { expand_dims(x[0], 2); }},
      {"squeeze", 1, [](std::span<const Tensor> x) { squeeze(x[0], 1); }},
      {"transpose", 1,
       [](std::span<const Tensor> x) {
         transpose(x[0], {1, 0});
       }},
      {"broadcast_to", 1,
       [](std::span<const Tensor> x) {
         broadcast_to(x[0], Shape{4, 2, 3});
       }},
      {"tile", 1,
       [](std::span<const Tensor> x) {
         tile(x[0], {2, 2});
       }},
      {"repeat", 1, [](std::span<const Tensor> x) { repeat(x[0], 2, 1); }},
      {"reverse", 1, [](std::span<const Tensor> x) { reverse(x[0], 1); }},
      {"roll", 1, [](std::span<const Tensor> x) { roll(x[0], 1, 1); }},
      {"concat", 2, [](std::span<const Tensor> x) { concat(x, 1); }},
      {"split", 1, [](std::span<const Tensor> x) { split(x[0], 2, 1); }},
      {"stack", 2, [](std::span<const Tensor> x) { stack(x, 1); }},
      {"unstack", 1, [](std::span<const Tensor> x) { unstack(x[0], 1); }},
      {"slice", 1,
       [](std::span<const Tensor> x) {
         slice(x[0], {0, 1}, {1, -1});
       }},
      {"strided_slice", 1,
       [](std::span<const Tensor> x) {
         strided_slice(x[0], {0, 2}, {2, 0}, {1, -1});
       }},
      {"at", 1, [](std::span<const Tensor> x) { at(x[0], 1); }},
      {"pad", 1,
       [](std::span<const Tensor> x) {
         pad(x[0], {{1, 1}, {0, 2}}, PadMode::reflect);
       }},
      {"gather", 2, [](std::span<const Tensor> x) { gather(x[0], x[1]); }},
      {"gather axis 1", 2, [](std::span<const Tensor> x) { gather(x[0], x[1], 1); }},
      {"scatter_nd", 2, [](std::span<const Tensor> x) { scatter_nd(x[0], x[1], Shape{4}); }},
      {"tensor_scatter_nd_update", 3,
       [](std::span<const Tensor> x) { tensor_scatter_nd_update(x[0], x[1], x[2]); }},
      {"unsorted_segment_sum", 2, [](std::span<const Tensor> x) { unsorted_segment_sum(x[0], x[1], 3); }},
      {"unsorted_segment_max", 2, [](std::span<const Tensor> x) { unsorted_segment_max(x[0], x[1], 3); }},
      {"one_hot", 1, [](std::span<const Tensor> x) { one_hot(x[0], 3); }},
      {"boolean_mask", 2, [](std::span<const Tensor> x) { boolean_mask(x[0], x[1]); }},
      {"top_k", 1, [](std::span<const Tensor> x) { top_k(x[0], 2); }},
      {"sort", 1, [](std::span<const Tensor> x) { sort(x[0]); }},
      {"in_top_k", 2, [](std::span<const Tensor> x) { in_top_k(x[0], x[1], 1); }},
      {"softmax", 1, [](std::span<const Tensor> x) { softmax(x[0]); }},
      {"log_softmax", 1, [](std::span<const Tensor> x) { log_softmax(x[0], 0); }},
      {"softmax_cross_entropy", 2,
       [](std::span<const Tensor> x) { softmax_cross_entropy_with_logits(x[0], x[1]); }},
      {"conv2d", 2, [](std::span<const Tensor> x) { conv2d(x[0], x[1]); }},
      {"depthwise_conv2d", 2, [](std::span<const Tensor> x) { depthwise_conv2d(x[0], x[1]); }},
      {"conv2d_transpose", 2,
       [](std::span<const Tensor> x) {
         conv2d_transpose(x[0], x[1], Shape{1, 4, 4, 1});
       }},
      {"max_pool2d", 1, [](std::span<const Tensor> x) { max_pool2d(x[0], 2, 2); }},
      {"avg_pool2d", 1, [](std::span<const Tensor> x) { avg_pool2d(x[0], 2, 2); }},
      {"moments", 1, [](std::span<const Tensor> x) { moments(x[0], 0); }},
      {"layer_normalization", 3, [](std::span<const Tensor> x) { layer_normalization(x[0], x[1], x[2]); }},
      {"fused_batch_norm_train", 3,
       [](std::span<const Tensor> x) { fused_batch_norm_train(x[0], x[1], x[2]); }},
      {"l2_normalize", 1, [](std::span<const Tensor> x) { l2_normalize(x[0], 1); }},
      {"dropout", 1, [](std::span<const Tensor> x) { dropout(x[0], 0.5); }},
  };
}

// The elementwise rows as the table has them, and a call of every other op.
std::vector<Op> every_op() {
  std::vector<Op> ops = other_ops();
  for (int inputs : {1, 2}) {
    for (const OpDef* row : test::elementwise_rows(inputs)) {
      ops.push_back({std::string(row->name), inputs, [row, inputs](std::span<const Tensor> x) {
                       inputs == 1 ? apply(*row, Arg(x[0])) : apply(*row, Arg(x[0]), Arg(x[1]));
                     }});
    }
  }
  return ops;
}

// Arguments that make no sense, among some that fit.
std::vector<Tensor> odd_tensors() {
  static const Variable variable(constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}), {.name = "variable"});
  return {Tensor(),
          constant(2.0),
          constant({1.0, 2.0, 3.0}),
          constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}),
          constant({{1, 2, 3}, {4, 5, 6}}, DType::f64),
          constant({{1, 2}, {3, 4}}, DType::f16),
          constant({1, 0, 9}, DType::i32),
          constant({{-1}, {70000}}, DType::i64),
          constant({1, 0}, DType::boolean),
          zeros({0, 3}),
          zeros({0}, DType::i32),
          zeros({1, 2, 2, 1}),
          zeros({1, 1, 1, 1, 1, 1, 2, 2}),
          indexed_slices(constant({{1.0, 2.0}}), constant({1}, DType::i32), Shape{2, 2}),
          variable.handle()};
}

// True when the call threw an Error; anything else thrown is a fault.
bool refused(const Op& op, std::span<const Tensor> arguments) {
  try {
    op.call(arguments);
    return false;
  } catch (const Error& error) {
    const std::string message = error.what();
    INFO(message);
    CHECK(message.front() == '[');
    return true;
  }
}

}  // namespace

TEST_CASE("odd arguments in every place of every op: one error or a result", "[mistakes]") {
  const Variable w(constant({1.0, 2.0}), {.name = "w"});
  const std::vector<Tensor> odd = odd_tensors();
  std::size_t errors = 0;
  for (const Op& op : every_op()) {
    INFO(op.name);
    GradientTape tape({.persistent = true});
    auto recording = tape.record();
    const Tensor before = square(w);
    std::size_t total = 1;
    for (int a = 0; a < op.arguments; ++a) total *= odd.size();
    bool any = false;
    for (std::size_t choice = 0; choice < total; ++choice) {
      std::vector<Tensor> arguments;
      for (std::size_t rest = choice; arguments.size() < static_cast<std::size_t>(op.arguments);
           rest /= odd.size()) {
        arguments.push_back(odd[rest % odd.size()]);
      }
      for (const Tensor& argument : arguments) {
        if (argument && argument.dtype() != DType::resource && !is_indexed_slices(argument))
          tape.watch(argument);
      }
      if (refused(op, arguments)) {
        any = true;
        ++errors;
      }
    }
    CHECK(any);
    const Tensor after = before * square(w);
    CHECK(elements(tape.gradient(after, w)) == std::vector<double>{4, 32});
  }
  CHECK(errors > 1000);
}
