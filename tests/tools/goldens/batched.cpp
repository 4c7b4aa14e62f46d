// Two equal rows through the batching rules. What comes out is half of one and half of the other, so that a
// wrong row shows in the result and both are differentiated by every tape that records.
#include "tests/tools/goldens/batched.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/names.h"
#include "engine/events/records/ops.h"
#include "engine/events/session.h"
#include "engine/ops/batch.h"
#include "engine/ops/ops.h"
#include "engine/ops/slices.h"

namespace tapescope::goldens {
namespace {

constexpr std::int64_t kRows = 2;

Tensor twice(const Tensor& x) { return stack({x, x}, 0); }

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// One row of a stack of two equal ones; throws when they differ.
Tensor joined(const Tensor& stack) {
  const Tensor first = at(stack, 0), second = at(stack, 1);
  for (std::int64_t i = 0; i < first.numel(); ++i) {
    if (same(element(first, i), element(second, i))) continue;
    fail(ErrorKind::internal, "batch",
         fmt::format("equal rows differ at element {}: {} and {}", i, element(first, i), element(second, i)));
  }
  if (!is_floating(first.dtype())) return first;
  // In float64 halves of what a smaller type holds are exact.
  const Tensor sum = 0.5 * cast(first, DType::f64) + 0.5 * cast(second, DType::f64);
  return first.dtype() == DType::f64 ? sum : cast(sum, first.dtype());
}

// Counts the cases in which an op without a batching rule was looped over.
class CountsFallbacks : public Driver {
 public:
  void around(const std::function<void()>& body) override {
    Session session({.policy = FullPolicy::overwrite});
    session.start();
    body();
    session.stop();
    std::set<OpNameId> met;
    session.drain([&](std::uint32_t, std::span<const Record> records) {
      for (const Record& record : records) {
        if (record.is<BatchFallbackRecord>()) met.insert(record.as<BatchFallbackRecord>().op);
      }
    });
    for (const OpNameId op : met) ++looped_[std::string(op_name_text(op))];
  }
  std::string remark() const override {
    if (looped_.empty()) return fmt::format("{}: every op has a batching rule", name());
    std::vector<std::string> ops;
    for (const auto& [op, cases] : looped_) ops.push_back(fmt::format("{} in {} cases", op, cases));
    return fmt::format("{}: {} ops without a batching rule were looped over: {}", name(), looped_.size(),
                       fmt::join(ops, ", "));
  }
  bool keeps_rows() const override { return false; }

 private:
  std::map<std::string, int> looped_;
};

template <std::size_t kCount>
bool among(const std::array<std::string_view, kCount>& list, std::string_view op) {
  return std::find(list.begin(), list.end(), op) != list.end();
}

class Batched final : public CountsFallbacks {
 public:
  std::string_view name() const override { return "batched"; }
  bool takes(std::string_view op) const override {
    // The first two give a result whose size depends on values; a batch of the third would have to update one
    // variable with the statistics of each row; an optimizer calls nothing.
    constexpr std::array<std::string_view, 4> kNot{"boolean_mask", "segment_sum", "BatchNormalization",
                                                   "optimizer"};
    return !among(kNot, op);
  }
  Tensors call(const Function& function, std::span<const Tensor> inputs) override {
    BatchMode mode(kRows);
    Tensors rows;
    for (const Tensor& input : inputs) rows.push_back(mode.wrap(twice(input)));
    Tensors outputs = function(rows);
    for (Tensor& output : outputs) output = joined(mode.unwrap(output));
    return outputs;
  }
};

class BatchedGradients final : public CountsFallbacks {
 public:
  std::string_view name() const override { return "batched-gradients"; }
  bool takes(std::string_view op) const override {
    // They have separate rules for what they ask a tape, or ask none.
    constexpr std::array<std::string_view, 5> kNot{"jacobian", "batch_jacobian", "jvp", "optimizer",
                                                   "clip_by_global_norm"};
    return !among(kNot, op);
  }
  Tensors gradient(GradientTape& tape, std::span<const Traced> targets, std::span<const Traced> sources,
                   const Tensors& seeds) override {
    BatchMode mode(kRows);
    Tensors rows;
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const Type& type = targets[t].type();
      rows.push_back(mode.wrap(twice(t < seeds.size() ? seeds[t] : ones(type.shape, type.dtype))));
    }
    Tensors gradients = tape.gradient(targets, sources, {.output_gradients = rows});
    for (Tensor& gradient : gradients) {
      if (gradient) gradient = joined(mode.unwrap(to_dense(gradient)));
    }
    return gradients;
  }
};

}  // namespace

std::unique_ptr<Driver> batched_driver() { return std::make_unique<Batched>(); }
std::unique_ptr<Driver> batched_gradients_driver() { return std::make_unique<BatchedGradients>(); }

}  // namespace tapescope::goldens
