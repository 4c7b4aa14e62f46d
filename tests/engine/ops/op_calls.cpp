// The programs, and the listener that notes the calls they make.
#include "tests/engine/ops/op_calls.h"

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "engine/gate/state.h"
#include "engine/parallel/collectives.h"
#include "engine/tape/tape.h"
#include "tests/support/op_rows.h"

namespace tapescope {
namespace {

class Collector final : public ForwardListener {
 public:
  explicit Collector(std::vector<MadeCall>& calls) : calls_(calls) {
    ThreadState& ts = state();
    ts.accumulators.push_back(this);
    ts.listen.fetch_or(kListenForward, std::memory_order_relaxed);
  }
  ~Collector() {
    ThreadState& ts = state();
    std::erase(ts.accumulators, static_cast<ForwardListener*>(this));
    if (ts.accumulators.empty())
      ts.listen.fetch_and(~std::uint32_t{kListenForward}, std::memory_order_relaxed);
  }
  void executed(const OpCall& call) override {
    if (call.inputs.empty()) return;
    std::string key = fmt::format("{} {}", call.op.name, call.attrs.text);
    key += fmt::format(" {} {} {} [{}]", call.attrs.flags, call.attrs.f[0], call.attrs.f[1],
                       fmt::join(call.attrs.ints(), ","));
    for (TensorImpl* input : call.inputs) key += " " + input->type->text();
    if (!seen_.insert(key).second) return;
    MadeCall made{&call.op, {}, call.attrs};
    for (TensorImpl* input : call.inputs) made.inputs.push_back(Tensor::share(input));
    calls_.push_back(std::move(made));
  }

 private:
  std::vector<MadeCall>& calls_;
  std::set<std::string> seen_;
};

struct Draw {
  DType dtype;
  std::int64_t n;
  mutable std::uint64_t draws = 0;  // of this program: whatever ran before, it draws the same

  // Different for every draw; away from 0, from whole numbers and from one another.
  Tensor x(const Shape& shape, double low = 0.25, double high = 1.75) const {
    return cast(stateless_random_uniform(shape, {17, ++draws}, low, high, DType::f64), dtype);
  }
  Tensor ids(const Shape& shape, std::int64_t below) const {
    return stateless_random_uniform(shape, {23, ++draws}, 0, static_cast<double>(below), DType::i32);
  }
  Tensor positive_definite(const Shape& batch) const {
    Shape shape = batch;
    shape.push_back(3);
    shape.push_back(3);
    const Tensor a = x(shape);
    return matmul(a, a, false, true) + cast(eye(3, -1, DType::f64), dtype);
  }
};

using Results = std::vector<Tensor>;
using Watch = std::function<Tensor(Tensor)>;
using Program = Results (*)(const Draw&, const Watch& in);

// `in` watches what it is given and gives it back. Results are differentiated twice.
const std::vector<Program>& programs() {
  static const std::vector<Program> all = {
      [](const Draw& i, const Watch& in) -> Results {
        const Tensor x = in(i.x({i.n, 3}, 0.25, 0.9));
        Results y;
        for (const OpDef* op : test::elementwise_rows(1, i.dtype)) {
          // Where the row is defined: acosh begins at 1.
          const double above = std::max(0.0, op->sampler.low - 0.25);
          y.push_back(apply(*op, Arg(above > 0 ? x + above : x)));
        }
        y.push_back(zeros_like(x));
        y.push_back(ones_like(x));
        y.push_back(identity(x));
        y.push_back(stop_gradient(x));
        y.push_back(softmax(x));
        y.push_back(log_softmax(x));
        y.push_back(leaky_relu(x - 0.6, 0.3));
        y.push_back(elu(x - 0.6));
        y.push_back(selu(x - 0.6));
        y.push_back(relu(x - 0.6));
        y.push_back(gelu(x));
        y.push_back(cast(x, i.dtype == DType::f64 ? DType::f32 : DType::f64));
        y.push_back(cast(x, DType::f16));
        y.push_back(logical_not(x < 0.5));
        return y;
      },
      [](const Draw& i, const Watch& in) -> Results {
        const Tensor a = in(i.x({i.n, 3}));
        const Tensor b = in(i.x({i.n, 3}));
        const Tensor row = in(i.x({3}));
        const Tensor column = in(i.x({i.n, 1}));
        const Tensor scalar = in(i.x({}));
        Results y;
        for (const OpDef* op : test::elementwise_rows(2, i.dtype)) {
          // Polygamma's order is a whole number: below.
          if (op->vjp && op->sampler.shapes[0] == 0) continue;
          y.push_back(apply(*op, Arg(a), Arg(b)));
          y.push_back(apply(*op, Arg(a), Arg(row)));
          y.push_back(apply(*op, Arg(scalar), Arg(a)));
          y.push_back(apply(*op, Arg(column), Arg(row)));
        }
        y.push_back(polygamma(cast(i.ids({i.n, 3}, 3) + 1, i.dtype), a));
        y.push_back(logical_and(a < b, a < row));
        y.push_back(logical_or(a < b, row < scalar));
        y.push_back(where(a < b, a, row));
        y.push_back(where(row < 1, scalar, b));
        y.push_back(add_n(Results{a, b, a}));
        return y;
      },
      [](const Draw& i, const Watch& in) -> Results {
        const Tensor x = in(i.x({2, i.n, 3}));
        Results y;
        for (const Axes& axes : {Axes(), Axes{1}, Axes{0, 2}}) {
          for (bool keep : {false, true}) {
            y.push_back(reduce_sum(x, axes, keep));
            y.push_back(reduce_mean(x, axes, keep));
            y.push_back(reduce_prod(x, axes, keep));
            y.push_back(reduce_max(x, axes, keep));
            y.push_back(reduce_min(x, axes, keep));
            y.push_back(reduce_euclidean_norm(x, axes, keep));
            y.push_back(reduce_all(x > 0.5, axes, keep));
            y.push_back(reduce_any(x > 0.5, axes, keep));
          }
        }
        return y;
      },
      [](const Draw& i, const Watch& in) -> Results {
        const Tensor x = in(i.x({i.n, 3})), z = in(i.x({2}));
        Results y{all_gather(x), reduce_scatter(x), broadcast(x), all_reduce(x, ReduceOp::mean)};
        for (const Tensor& sum : all_reduce(Results{x, z})) y.push_back(sum);
        return y;
      },
      [](const Draw& i, const Watch& in) -> Results {
        const Tensor x = in(i.x({2, i.n, 3}));
        Results y;
        y.push_back(argmax(x, 2));
        y.push_back(argmin(x, 0, DType::i32));
        y.push_back(cumsum(x, 1));
        y.push_back(cumsum(x, 2, true, true));
        y.push_back(cumprod(x, 0));
        y.push_back(cumprod(x, 1, true, false));
        y.push_back(l2_loss(x));
        y.push_back(l2_loss(in(i.x({}))));
        return y;
      },
      [](const Draw& i, const Watch& in) -> Results {
        const Tensor x = in(i.x({2, i.n, 3}));
        Results y;
        y.push_back(reshape(x, {i.n, 6}));
        y.push_back(expand_dims(x, 1));
        y.push_back(squeeze(expand_dims(x, 0), 0));
        y.push_back(transpose(x, {2, 0, 1}));
        y.push_back(broadcast_to(x, {4, 2, i.n, 3}));
        y.push_back(broadcast_to(in(i.x({3, 1})), {2, 3, i.n}));
        y.push_back(tile(x, {2, 1, 3}));
        y.push_back(reverse(x, {0, 2}));
        y.push_back(roll(x, 2, 2));
        y.push_back(fill({2, i.n}, in(i.x({}))));
        y.push_back(repeat(x, 2, 0));
        return y;
      },
      [](const Draw& i, const Watch& in) -> Results {
        const Tensor x = in(i.x({2, i.n, 3}));
        const Tensor z = in(i.x({2, 2, 3}));
        Results y;
        y.push_back(concat({x, z, x}, 1));
        y.push_back(stack({x, x * 2}, 1));
        y.push_back(stack({in(i.x({})), in(i.x({}))}, 0));
        for (const Tensor& part : split(x, 3, 2)) y.push_back(part * part);
        for (const Tensor& part : split(x, std::vector<std::int64_t>{1, 2}, 2)) y.push_back(part * part);
        for (const Tensor& part : unstack(x, 0)) y.push_back(part * part);
        y.push_back(slice(x, {1, 0, 1}, {1, -1, 2}));
        y.push_back(strided_slice(x, {0, 0, 2}, {2, i.n, 0}, {1, 1, -1}));
        y.push_back(strided_slice(x, {.begin = {0, 1, 0},
                                      .end = {0, 2, 0},
                                      .strides = {1, 1, 1},
                                      .ellipsis_mask = 4,
                                      .new_mask = 1,
                                      .shrink_mask = 2}));
        y.push_back(at(x, 1));
        return y;
      },
      [](const Draw& i, const Watch& in) -> Results {
        const Tensor x = in(i.x({i.n, 3}));
        Results y;
        y.push_back(pad(x, {{1, 0}, {0, 2}}));
        y.push_back(pad(x, {{1, 0}, {0, 2}}, PadMode::constant, 0.7));
        return y;
      },
      [](const Draw& i, const Watch& in) -> Results {
        const Tensor x = in(i.x({2, 3}));
        Results y;
        y.push_back(pad(x, {{1, 0}, {1, 2}}, PadMode::reflect));
        y.push_back(pad(x, {{2, 1}, {0, 3}}, PadMode::symmetric));
        return y;
      },
      [](const Draw& i, const Watch& in) -> Results {
        const Tensor x = in(i.x({4, i.n, 3}));
        Results y;
        y.push_back(gather(x, i.ids({5}, 4)));
        y.push_back(gather(x, i.ids({2, 2}, 3), 2));
        y.push_back(gather(x, i.ids({4, 2}, 3), 2, 1));
        y.push_back(gather_nd(x, stack({i.ids({3}, 4), i.ids({3}, 4) * 0}, 1)));
        y.push_back(gather_nd(x, i.ids({2, 1}, 4)));
        y.push_back(boolean_mask(x, reduce_sum(x, {1, 2}) > -1));
        return y;
      },
      [](const Draw& i, const Watch& in) -> Results {
        const Tensor x = in(i.x({4, i.n}));
        const Tensor u = in(i.x({3, i.n}));
        const Tensor at = i.ids({3, 1}, 4);
        Results y;
        y.push_back(scatter_nd(at, u, {5, i.n}));
        y.push_back(tensor_scatter_nd_add(x, at, u));
        y.push_back(tensor_scatter_nd_sub(x, at, u));
        y.push_back(tensor_scatter_nd_update(x, cast(reshape(range(3), {3, 1}), DType::i64), u));
        y.push_back(tensor_scatter_nd_max(x, at, u));
        y.push_back(tensor_scatter_nd_min(x, at, u));
        return y;
      },
      [](const Draw& i, const Watch& in) -> Results {
        const Tensor x = in(i.x({5, i.n}));
        const Tensor ids = i.ids({5}, 4) - 1;
        Results y;
        y.push_back(unsorted_segment_sum(x, ids, 3));
        y.push_back(unsorted_segment_max(x, i.ids({5}, 2), 2));
        y.push_back(unsorted_segment_mean(x, ids, 3));
        y.push_back(segment_sum(x, constant({0, 0, 1, 2, 2}, DType::i32)));
        y.push_back(unsorted_segment_sum(x, i.ids({5, i.n}, 2), 2));
        return y;
      },
      [](const Draw& i, const Watch& in) -> Results {
        const Tensor x = in(i.x({i.n, 5}));
        Results y;
        auto [values, places] = top_k(x, 3);
        y.push_back(values * values);
        y.push_back(places);
        y.push_back(sort(x, 0));
        y.push_back(one_hot(i.ids({i.n, 2}, 4), 4, 1, 0, i.dtype, 1));
        y.push_back(one_hot(i.ids({i.n, 2}, 4), 4, i.x({}), i.x({}), i.dtype, 1));
        y.push_back(in_top_k(i.ids({i.n}, 5), x, 2));
        y.push_back(where_indices(x > 0.9));
        y.push_back(invert_permutation(constant({2, 0, 1}, DType::i32)));
        return y;
      },
      [](const Draw& i, const Watch& in) -> Results {
        const Tensor a = in(i.x({i.n, 3}));
        const Tensor b = in(i.x({3, 2}));
        Results y;
        y.push_back(matmul(a, b));
        y.push_back(matmul(b, a, true, true));
        y.push_back(matmul(a, in(i.x({2, 3})), false, true));
        y.push_back(matmul(in(i.x({3, i.n})), b, true, false));
        y.push_back(matmul(in(i.x({2, i.n, 3})), b));
        y.push_back(matmul(a, in(i.x({2, 1, 3, 2}))));
        y.push_back(matmul(in(i.x({2, 1, i.n, 3})), in(i.x({4, 3, 2}))));
        y.push_back(matmul(in(i.x({2, 3, i.n})), in(i.x({2, 2, 3})), true, true));
        y.push_back(matvec(b, in(i.x({2}))));
        return y;
      },
      [](const Draw& i, const Watch& in) -> Results {
        const Tensor a = in(i.x({i.n, 3}));
        Results y;
        y.push_back(einsum("ij,jk->ik", {a, in(i.x({3, 2}))}));
        y.push_back(einsum("ij->ji", {a}));
        y.push_back(einsum("ij,ij->i", {a, in(i.x({i.n, 3}))}));
        y.push_back(einsum("...ij,...jk->...ik", {in(i.x({2, i.n, 3})), in(i.x({1, 3, 2}))}));
        return y;
      },
      [](const Draw& i, const Watch& in) -> Results {
        Results y;
        for (const Shape& batch : {Shape(), Shape{2}}) {
          const Tensor a = in(i.positive_definite(batch));
          Shape right = a.shape();
          right[right.rank() - 1] = i.n;
          const Tensor b = in(i.x(right));
          y.push_back(matrix_inverse(a));
          y.push_back(matrix_inverse(a, true));
          y.push_back(matrix_solve(a, b));
          y.push_back(matrix_solve(a, b, true));
          y.push_back(triangular_solve(a, b));
          y.push_back(triangular_solve(a, b, false, true));
          y.push_back(cholesky(a));
          y.push_back(matrix_determinant(a));
          y.push_back(matrix_band_part(a, 1, 0));
          y.push_back(matrix_diag_part(a));
          y.push_back(matrix_diag(b));
        }
        return y;
      },
      [](const Draw& i, const Watch& in) -> Results {
        const Tensor x = in(i.x({i.n, 4}));
        const Tensor labels = in(softmax(i.x({i.n, 4})));
        Results y;
        y.push_back(softmax_cross_entropy_with_logits(labels, x));
        y.push_back(sparse_softmax_cross_entropy_with_logits(i.ids({i.n}, 4), x));
        y.push_back(sigmoid_cross_entropy_with_logits(labels, x));
        y.push_back(bias_add(x, in(i.x({4}))));
        y.push_back(layer_normalization(x, in(i.x({4})), in(i.x({4}))));
        y.push_back(l2_normalize(x, {1}));
        return y;
      },
      [](const Draw& i, const Watch& in) -> Results {
        const Tensor x = in(i.x({i.n, 5, 4, 2}));
        const Tensor w = in(i.x({3, 2, 2, 4}));
        Results y;
        y.push_back(conv2d(x, w));
        y.push_back(conv2d(x, w, 2, ConvPadding::valid));
        y.push_back(conv2d(x, in(i.x({2, 2, 1, 4})), 1, ConvPadding::same, 2));
        y.push_back(depthwise_conv2d(x, in(i.x({2, 3, 2, 2}))));
        y.push_back(depthwise_conv2d(x, in(i.x({2, 2, 2, 1})), 2, ConvPadding::valid));
        return y;
      },
      [](const Draw& i, const Watch& in) -> Results {
        const Tensor x = in(i.x({i.n, 5, 4, 2}));
        Results y;
        y.push_back(max_pool2d(x, 2, 2));
        y.push_back(max_pool2d(x, HeightWidth(3, 2), 1, ConvPadding::same));
        y.push_back(avg_pool2d(x, 2, 2));
        y.push_back(avg_pool2d(x, HeightWidth(2, 3), 1, ConvPadding::same));
        return y;
      },
      [](const Draw& i, const Watch& in) -> Results {
        const Tensor x = in(i.x({i.n, 2, 3, 2}));
        const Tensor scale = in(i.x({2}));
        const Tensor offset = in(i.x({2}));
        Results y;
        y.push_back(fused_batch_norm_train(x, scale, offset).y);
        y.push_back(fused_batch_norm_inference(x, scale, offset, i.x({2}), i.x({2})));
        return y;
      },
  };
  return all;
}

// Weights make every element of a result count by itself; squares make its cotangent depend on it.
Tensor weighted_sum(const Results& results) {
  Tensor total;
  for (const Tensor& y : results) {
    if (!y || !is_floating(y.dtype())) continue;
    const Tensor wide = cast(y, DType::f64);
    const Tensor part =
        reduce_sum(wide * wide * stateless_random_uniform(y.shape(), {31, 7}, 0.5, 1.5, DType::f64));
    total = total ? total + part : part;
  }
  return total;
}

void run_program(const Program& program, const Draw& i) {
  GradientTape outer;
  std::vector<Traced> sources;
  Tensor second;
  {
    const auto outside = outer.record();
    GradientTape inner;
    Tensor first;
    {
      const auto inside = inner.record();
      const Watch watched = [&](Tensor x) {
        outer.watch(x);
        inner.watch(x);
        sources.push_back(x);
        return x;
      };
      first = weighted_sum(program(i, watched));
    }
    second = weighted_sum(inner.gradient(first, std::span<const Traced>(sources)));
  }
  outer.gradient(second, std::span<const Traced>(sources));
}

}  // namespace

std::string MadeCall::text() const {
  std::string text = fmt::format("{}(", op->name);
  for (std::size_t i = 0; i < inputs.size(); ++i) text += (i ? ", " : "") + inputs[i].type().text();
  return text + fmt::format(") ints [{}] flags {}", fmt::join(attrs.ints(), ", "), attrs.flags);
}

std::vector<MadeCall> op_calls(DType dtype, std::int64_t size) {
  std::vector<MadeCall> calls;
  const Collector collector(calls);
  for (const Program& program : programs()) {
    try {
      run_program(program, {dtype, size});
    } catch (const Error&) {
      if (size >= 2) throw;  // only the degenerate sizes may be refused
    }
  }
  return calls;
}

std::vector<Tensor> run_call(const MadeCall& call, const std::vector<Tensor>& inputs) {
  std::vector<TensorImpl*> raw;
  for (const Tensor& input : inputs) raw.push_back(input.impl());
  TensorList outputs;
  apply(*call.op, raw, call.attrs, Location::current(), outputs);
  return {outputs.span().begin(), outputs.span().end()};
}

}  // namespace tapescope
