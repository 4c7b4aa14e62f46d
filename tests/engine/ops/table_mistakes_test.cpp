// Mistakes made with every op of the table, generated from calls as programs make them: one operand of
// another dtype, another shape, empty, None or kept as rows. Never a crash: a result, whose gradient is a
// result too, or one Error, after which everything is as before.
#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "engine/core/pool.h"
#include "engine/gate/state.h"
#include "engine/graph/function.h"
#include "engine/ops/batch.h"
#include "engine/ops/slices.h"
#include "engine/tape/tape.h"
#include "tests/engine/ops/op_calls.h"
#include "tests/support/approval.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// What a mistake must leave as it was.
struct Surroundings {
  std::size_t tapes, interceptors, accumulators;
  std::uint32_t listen, backward_depth, silenced;
  const Location* origin;
  ScopeId scope;
  std::uint64_t recorded;
  std::int64_t live_bytes;

  static Surroundings now(const GradientTape& tape) {
    const ThreadState& ts = state();
    return {ts.tapes.size(),
            ts.interceptors.size(),
            ts.accumulators.size(),
            ts.listen.load(),
            ts.backward_depth,
            ts.silenced,
            ts.origin,
            ts.scope,
            tape.counts().recorded,
            pool_stats().live_bytes};
  }
  bool operator==(const Surroundings&) const = default;
};

// Operands that no call of that op takes, or takes otherwise, in place of `right`.
std::vector<Tensor> wrong_operands(const Tensor& right) {
  std::vector<Tensor> wrong{Tensor()};
  const Shape& shape = right.shape();
  const auto filled = [&](const Shape& s, DType dtype) { wrong.push_back(make_full(s, 1, dtype)); };
  for (const DType dtype :
       {DType::f64, DType::f32, DType::f16, DType::bf16, DType::i32, DType::i64, DType::boolean}) {
    if (dtype != right.dtype()) filled(shape, dtype);
  }
  for (int d = 0; d < shape.rank(); ++d) {
    for (const std::int64_t size : {std::int64_t{0}, std::int64_t{1}, shape[d] + 1}) {
      Shape other = shape;
      other[d] = size;
      if (other != shape) filled(other, right.dtype());
    }
  }
  Shape deeper{1}, deepest;
  for (const std::int64_t size : shape.dims()) deeper.push_back(size);
  for (int d = 0; d < kMaxRank; ++d) deepest.push_back(1);
  if (shape.rank() < kMaxRank) filled(deeper, right.dtype());
  if (shape.rank() > 0) filled(Shape{}, right.dtype());
  filled(deepest, right.dtype());
  filled(Shape{0}, right.dtype());
  // Where indices are read: far out of every range.
  if (!is_floating(right.dtype()) && right.dtype() != DType::boolean) {
    wrong.push_back(make_full(shape, 70000, right.dtype()));
    wrong.push_back(make_full(shape, -70000, right.dtype()));
  }
  if (is_floating(right.dtype()) && shape.rank() > 0 && shape[0] > 0) {
    Shape row = shape;
    row[0] = 1;
    wrong.push_back(
        indexed_slices(make_full(row, 1, right.dtype()), make_full(Shape{1}, 0, DType::i32), shape));
  }
  return wrong;
}

// "" for one sentence that begins with the place, ends with the line, and says something between.
std::string fault_of(const std::string& message, unsigned line) {
  const std::string place = fmt::format("(at table_mistakes_test.cpp:{})", line);
  if (message.empty() || message.front() != '[') return "does not begin with the op";
  if (message.find("] ") == message.npos || message.find("] ") + 12 > message.size()) return "says nothing";
  if (message.find('\n') != message.npos) return "has several lines";
  if (!message.ends_with(place)) return "does not end with the line of the call";
  if (message.find(" (at ") != message.rfind(" (at ")) return "names two places";
  return "";
}

struct Outcome {
  bool refused = false;
  std::string fault;
  std::string said;  // the sentence, or the types of the results and of the gradients
};

// With one # for each number, one [] for each list of them and one T for each dtype.
std::string without_numbers(std::string text) {
  for (const std::string_view dtype :
       {"bfloat16", "float16", "float32", "float64", "int32", "int64", "bool"}) {
    for (std::size_t at; (at = text.find(dtype)) != text.npos;) text.replace(at, dtype.size(), "T");
  }
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' && text.find_first_not_of("0123456789, -", i + 1) == text.find(']', i)) {
      plain += "[]";
      i = text.find(']', i);
    } else if (!std::isdigit(static_cast<unsigned char>(text[i]))) {
      plain += text[i];
    } else if (!plain.ends_with('#')) {
      plain += '#';
    }
  }
  return plain;
}

// What mistakes with each op led to: how often, and the first of those that differ in numbers and dtypes
// alone.
class Tally {
 public:
  explicit Tally(bool results = true) : results_(results) {}
  void add(const MadeCall& call, const Outcome& outcome) {
    if (!outcome.refused && !results_) return;
    const std::string said = outcome.said.substr(0, outcome.said.rfind(" (at "));
    Known& known = ops_[call.op->name][without_numbers(said)];
    if (known.times++ == 0) known.first = said;
  }
  std::string text() const {
    std::string text;
    for (const auto& [op, outcomes] : ops_) {
      text += fmt::format("{}\n", op);
      for (const auto& [_, outcome] : outcomes)
        text += fmt::format("  {} x {}\n", outcome.times, outcome.first);
    }
    return text;
  }

 private:
  struct Known {
    int times = 0;
    std::string first;
  };
  bool results_;
  std::map<std::string_view, std::map<std::string, Known>> ops_;
};

// Runs the call and, where it is accepted, its gradient.
Outcome try_call(const MadeCall& call, const std::vector<Tensor>& inputs) {
  const unsigned line = __LINE__ + 1;
  const Location here = Location::current();
  const auto outcome_of = [&](const Error& error) -> Outcome {
    const std::string fault = fault_of(error.what(), line);
    return {true, fault.empty() ? "" : fmt::format("'{}' {}", error.what(), fault), error.what()};
  };
  std::string said = "gives";
  GradientTape tape({.persistent = true});
  std::vector<Traced> sources, targets;
  try {
    const auto recording = tape.record();
    std::vector<TensorImpl*> raw;
    for (const Tensor& input : inputs) {
      raw.push_back(input.impl());
      if (!input || is_indexed_slices(input) || !is_floating(input.dtype())) continue;
      tape.watch(input);
      sources.emplace_back(input);
    }
    TensorList outputs;
    apply(*call.op, raw, call.attrs, here, outputs);
    for (const Tensor& output : outputs.span()) {
      targets.emplace_back(output);
      said += " " + output.type().text();
    }
  } catch (const Error& error) {
    return outcome_of(error);
  }
  try {
    for (const Tensor& gradient : tape.gradient(std::span<const Traced>(targets), sources, {}, here)) {
      said += gradient ? ", gradient " + to_dense(gradient).type().text() : ", None";
    }
  } catch (const Error& error) {
    return outcome_of(error);
  }
  return {.said = said};
}

bool can_be_called(const MadeCall& call) {
  return std::none_of(call.inputs.begin(), call.inputs.end(),
                      [](const Tensor& x) { return x.dtype() == DType::resource; });
}

void expect_intact(const MadeCall& call, std::size_t operand, const Tensor& wrong, const Outcome& outcome,
                   bool intact, std::string_view where = "") {
  if (intact && outcome.fault.empty()) return;
  INFO(call.text() << ", operand " << operand << " is " << (wrong ? wrong.type().text() : "None") << where);
  CHECK(outcome.fault == "");
  CHECK(intact);
}

// make(call, operand, wrong) for every mistake in every operand of every call.
template <class Make>
void each_mistake(const std::vector<MadeCall>& calls, Make make) {
  for (const MadeCall& call : calls) {
    if (!can_be_called(call)) continue;
    for (std::size_t i = 0; i < std::min<std::size_t>(call.inputs.size(), 5); ++i) {
      for (const Tensor& wrong : wrong_operands(call.inputs[i])) make(call, i, wrong);
    }
  }
}

// Every mistake in every operand of every call; how many were refused of how many.
std::pair<std::size_t, std::size_t> make_mistakes(const std::vector<MadeCall>& calls,
                                                  Tally* tally = nullptr) {
  std::size_t refused = 0, all = 0;
  const Variable w(constant({1.0, 2.0}), {.name = "w"});
  for (const MadeCall& call : calls) {
    if (!can_be_called(call)) continue;
    GradientTape around({.persistent = true});
    const auto recording = around.record();
    const Tensor before = square(w);
    for (std::size_t i = 0; i < std::min<std::size_t>(call.inputs.size(), 5); ++i) {
      for (const Tensor& wrong : wrong_operands(call.inputs[i])) {
        std::vector<Tensor> inputs = call.inputs;
        inputs[i] = wrong;
        const Surroundings then = Surroundings::now(around);
        const Outcome outcome = try_call(call, inputs);
        const bool intact = Surroundings::now(around) == then;
        ++all;
        refused += outcome.refused;
        if (tally) tally->add(call, outcome);
        expect_intact(call, i, wrong, outcome, intact);
      }
    }
    CHECK(elements(around.gradient(before * square(w), w)) == std::vector<double>{4, 32});
  }
  return {refused, all};
}

// The same while rows are batched: all operands but the wrong one, or the wrong one too, stand for two rows.
std::size_t make_mistakes_in_batches(const std::vector<MadeCall>& calls) {
  std::size_t refused = 0;
  const GradientTape none;
  each_mistake(calls, [&](const MadeCall& call, std::size_t i, const Tensor& wrong) {
    for (const bool all : {false, true}) {
      const Surroundings then = Surroundings::now(none);
      Outcome outcome;
      {
        BatchMode mode(2);
        const auto both = [&](const Tensor& x) { return mode.wrap(stack({x, x}, 0)); };
        std::vector<Tensor> inputs;
        for (std::size_t k = 0; k < call.inputs.size(); ++k) {
          const Tensor& x = k == i ? wrong : call.inputs[k];
          const bool fits = x && !is_indexed_slices(x) && x.rank() < kMaxRank;
          inputs.push_back(fits && (all || k != i) ? both(x) : x);
        }
        outcome = try_call(call, inputs);
      }
      refused += outcome.refused;
      expect_intact(call, i, wrong, outcome, Surroundings::now(none) == then, all ? ", two rows" : "");
    }
  });
  return refused;
}

// The same while a function is traced: operands are its arguments, the wrong one too.
std::size_t make_mistakes_in_traces(const std::vector<MadeCall>& calls) {
  std::size_t refused = 0;
  const GradientTape none;
  each_mistake(calls, [&](const MadeCall& call, std::size_t i, const Tensor& wrong) {
    if (!wrong || is_indexed_slices(wrong)) return;  // no argument of a function
    std::vector<Value> arguments(call.inputs.begin(), call.inputs.end());
    arguments[i] = wrong;
    const Surroundings then = Surroundings::now(none);
    Outcome outcome;
    const auto body = [&](std::vector<Value>& given) {
      std::vector<Tensor> inputs;
      for (const Value& value : given) inputs.push_back(value.tensor());
      outcome = try_call(call, inputs);
      return Value(given[0]);
    };
    {
      FunctionCore traced("mistake", body, {}, 0, Location::current());
      traced.call(arguments, Location::current());
    }
    refused += outcome.refused;
    Surroundings now = Surroundings::now(none);
    now.live_bytes = then.live_bytes;  // a trace keeps what it learned of shapes
    expect_intact(call, i, wrong, outcome, now == then);
  });
  return refused;
}

}  // namespace

TEST_CASE("one wrong operand in calls of every op: one Error or a result, and nothing else changed",
          "[mistakes]") {
  Tally tally;
  const auto [refused, all] = make_mistakes(op_calls(DType::f32, 3), &tally);
  CHECK(refused > 5000);
  CHECK(all > refused);
  approve("engine/approved/ops/mistakes.txt", tally.text());
}

TEST_CASE("one wrong operand where sizes are 0 and 1", "[mistakes]") {
  Tally tally(false);
  CHECK(make_mistakes(op_calls(DType::f32, 0), &tally).first > 1000);
  CHECK(make_mistakes(op_calls(DType::f32, 1), &tally).first > 1000);
  approve("engine/approved/ops/mistakes_small.txt", tally.text());
}

TEST_CASE("one wrong operand while rows are batched", "[mistakes]") {
  CHECK(make_mistakes_in_batches(op_calls(DType::f32, 3)) > 5000);
}

TEST_CASE("one wrong operand while a function is traced", "[mistakes]") {
  CHECK(make_mistakes_in_traces(op_calls(DType::f32, 3)) > 5000);
}
