// No kernel reads or writes past the ends of its operands and results: each call is made where the next byte
// cannot be touched, and gives what it gives elsewhere.
#include <cmath>

#include "engine/kernels/thread_pool.h"
#include "tests/engine/ops/op_calls.h"
#include "tests/support/catch.h"
#include "tests/support/fenced.h"
#include "tests/support/op_rows.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

// Libraries of products may take another way where memory is aligned otherwise.
bool same_values(const Tensor& a, const Tensor& b) {
  if (&a.type() != &b.type()) return false;
  const double tolerance = is_half(a.dtype()) ? 1e-2 : is_floating(a.dtype()) ? 1e-5 : 0;
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    const double x = element_value(a, i), y = element_value(b, i);
    const bool same = x == y || (std::isnan(x) && std::isnan(y)) ||
                      std::fabs(x - y) <= tolerance * std::max(1.0, std::fabs(y));
    if (!same) return false;
  }
  return true;
}

void check_fenced(FencedCalls& calls, const OpDef& op, const std::vector<Tensor>& inputs, const Attrs& attrs,
                  const std::vector<Tensor>& expected) {
  for (const Fence fence : {Fence::behind, Fence::before}) {
    const std::vector<Tensor> got = calls.run(op, inputs, attrs, fence);
    REQUIRE(got.size() == expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      INFO("output " << i << ": " << values_text(got[i], 8) << " for " << values_text(expected[i], 8));
      CHECK(same_values(got[i], expected[i]));
    }
  }
}

void check_calls(DType dtype, std::int64_t size) {
  FencedCalls calls;
  for (const MadeCall& call : op_calls(dtype, size)) {
    const auto no_data = [](const Tensor& x) { return x.dtype() == DType::resource || x.impl()->extension; };
    if (!call.op->kernel || std::any_of(call.inputs.begin(), call.inputs.end(), no_data)) continue;
    INFO(call.text());
    check_fenced(calls, *call.op, call.inputs, call.attrs, run_call(call));
  }
}

}  // namespace

TEST_CASE("each op stays inside its operands and results", "[bounds]") {
  for (const std::int64_t size : {1, 2, 5, 8, 17}) check_calls(DType::f32, size);
  for (const std::int64_t size : {1, 4, 19}) check_calls(DType::f64, size);
}

TEST_CASE("elementwise ops of every length stay inside, and give each element what it gets alone",
          "[bounds]") {
  constexpr std::int64_t kMost = 70;
  FencedCalls calls;
  for (int operands : {1, 2}) {
    for (const DType dtype :
         {DType::f64, DType::f32, DType::f16, DType::bf16, DType::i32, DType::i64, DType::boolean}) {
      for (const OpDef* op : elementwise_rows(operands, dtype)) {
        std::vector<Tensor> whole;
        for (int i = 0; i < operands; ++i) {
          std::vector<double> values;
          for (std::int64_t e = 0; e < kMost; ++e)
            values.push_back(dtype == DType::boolean ? (e * 5 + i) % 3 % 2
                                                     : 1.25 + 0.5 * i + static_cast<double>(e * 7 % 10) / 8);
          whole.push_back(make_tensor(values, Shape{kMost}, dtype));
        }
        const std::vector<Tensor> full = run_call({op, whole, kNoAttrs});
        for (std::int64_t n = 0; n <= kMost; n += n == 36 ? 25 : 1) {  // around each width of a vector
          std::vector<Tensor> inputs, expected;
          for (const Tensor& x : whole) inputs.push_back(make_from_bytes(x.dtype(), Shape{n}, x.raw()));
          for (const Tensor& y : full) expected.push_back(make_from_bytes(y.dtype(), Shape{n}, y.raw()));
          INFO(op->name << " of " << n << " " << name_of(dtype));
          check_fenced(calls, *op, inputs, kNoAttrs, expected);
        }
      }
    }
  }
}

TEST_CASE("convolutions that are cut into blocks stay inside, and give each image what it gets alone",
          "[bounds][threads]") {
  constexpr std::int64_t kImages = 5, kCopies = 300;
  // A batch that is repeated: several blocks, worth several threads.
  const auto repeated = [](const Tensor& x) {
    if (x.rank() != 4 || x.shape()[0] != kImages) return x;
    return concat(std::vector<Tensor>(kCopies, x), 0);
  };
  FencedCalls calls;
  int judged = 0;
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const MadeCall& call : op_calls(dtype, kImages)) {
      const std::string_view name = call.op->name;
      const bool forward = name == "Conv2D" || name == "DepthwiseConv2dNative";
      if (!forward && !name.ends_with("BackpropFilter")) continue;
      INFO(call.text());
      MadeCall large{call.op, {}, call.attrs};
      for (const Tensor& x : call.inputs) large.inputs.push_back(repeated(x));
      std::vector<Tensor> expected = run_call(forward ? call : large);
      for (Tensor& y : expected) y = repeated(y);
      for (const int threads : {1, 3}) {
        kernels::set_threads(threads);
        check_fenced(calls, *call.op, large.inputs, call.attrs, expected);
      }
      kernels::set_threads(1);
      ++judged;
    }
  }
  CHECK(judged >= 12);
}
