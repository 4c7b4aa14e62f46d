// Branches and loops: the values of graphs are those of eager code, and mistakes are reported.
#include <vector>

#include "engine/graph/flow.h"
#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"

using namespace tapescope;

namespace {

constexpr auto kAlways = [](const Tensor&) { return constant(1, DType::boolean); };

std::vector<double> values(const Tensor& x) { return elements(x); }

}  // namespace

TEST_CASE("cond runs the branch that its predicate chooses, eager and in a function") {
  const Variable w(constant({2.0, 3.0}));
  const auto either = [&](const Tensor& x) {
    return cond(
        reduce_sum(x) > 0, [&] { return x * w; }, [&] { return x - w; });
  };
  Function f("f", either);
  for (const Tensor& x : {constant({1.0, 2.0}), constant({-1.0, -2.0})})
    CHECK(values(f(x)) == values(either(x)));
  CHECK(values(f(constant({1.0, 2.0}))) == std::vector<double>{2, 6});
  CHECK(values(f(constant({-1.0, -2.0}))) == std::vector<double>{-3, -5});
  CHECK(f.tracing_count() == 1);
}

TEST_CASE("only the branch that is taken acts on variables") {
  const Variable count(constant(0.0));
  Function f("f", [&](const Tensor& x) {
    return cond(
        x > 0,
        [&] {
          count.assign_add(1.0);
          return x;
        },
        [&] {
          count.assign_sub(10.0);
          return -x;
        });
  });
  f(constant(2.0));
  CHECK(element(count.peek(), 0) == 1);
  CHECK(values(f(constant(-2.0))) == std::vector<double>{2});
  CHECK(element(count.peek(), 0) == -9);
}

TEST_CASE("branches may give any structure") {
  Function f("f", [](const Tensor& x) {
    return cond(
        x > 0,
        [&] {
          return std::vector{x, x * x};
        },
        [&] {
          return std::vector{-x, x + 1};
        });
  });
  const std::vector<Tensor> found = f(constant(3.0));
  CHECK(values(found[0]) == std::vector<double>{3});
  CHECK(values(found[1]) == std::vector<double>{9});
}

TEST_CASE("switch_case takes the last branch for an index out of range") {
  const auto choose = [](const Tensor& index, const Tensor& x) {
    const std::vector<std::function<Tensor()>> branches{[&] { return x + 1; }, [&] { return x * 10; },
                                                        [&] { return -x; }};
    return switch_case(index, branches);
  };
  Function f("f", choose);
  for (const int index : {0, 1, 2, 3, -1}) {
    const double expected = index == 0 ? 4 : index == 1 ? 30 : -3;
    CHECK(values(choose(constant(index, DType::i32), constant(3.0))) == std::vector{expected});
    CHECK(values(f(constant(index, DType::i32), constant(3.0))) == std::vector{expected});
  }
}

TEST_CASE("while_loop runs as long as its condition holds, and no longer than maximum_iterations") {
  const auto power = [](const Tensor& x, const Tensor& n) {
    const auto [i, product] =
        while_loop([&](const Tensor& i, const Tensor&) { return i < n; },
                   [&](const Tensor& i, const Tensor& p) { return std::tuple(i + 1, p * x); },
                   std::tuple(constant(0, DType::i32), ones_like(x)));
    return product;
  };
  Function f("power", power);
  const Tensor x = constant({2.0, 3.0});
  for (const int n : {0, 1, 5}) {
    const Tensor times = constant(n, DType::i32);
    CHECK(values(f(x, times)) == values(power(x, times)));
  }
  CHECK(values(f(x, constant(5, DType::i32))) == std::vector<double>{32, 243});
  CHECK(f.tracing_count() == 1);

  const auto capped = [](const Tensor& x) {
    return while_loop(kAlways, [](const Tensor& v) { return v * 2; }, x, {.maximum_iterations = 3});
  };
  Function g("capped", capped);
  CHECK(values(capped(constant(1.0))) == std::vector<double>{8});
  CHECK(values(g(constant(1.0))) == std::vector<double>{8});
}

TEST_CASE("a loop that changes a variable does so in every round") {
  const Variable sum(constant(0.0));
  Function f("f", [&](const Tensor& n) {
    return while_loop([&](const Tensor& i) { return i < n; },
                      [&](const Tensor& i) {
                        sum.assign_add(i);
                        return i + 1;
                      },
                      constant(0.0));
  });
  f(constant(4.0));
  CHECK(element(sum.peek(), 0) == 6);
}

TEST_CASE("loops and branches stand inside one another") {
  // The Collatz steps of n.
  const auto steps = [](const Tensor& n) {
    const auto [last, count] =
        while_loop([](const Tensor& n, const Tensor&) { return n > 1; },
                   [](const Tensor& n, const Tensor& count) {
                     const Tensor next = cond(
                         equal(floormod(n, 2), 0), [&] { return floordiv(n, 2); }, [&] { return n * 3 + 1; });
                     return std::tuple(next, count + 1);
                   },
                   std::tuple(n, constant(0, DType::i32)));
    return count;
  };
  Function f("collatz", steps);
  for (const int n : {1, 6, 27})
    CHECK(values(f(constant(n, DType::i32))) == values(steps(constant(n, DType::i32))));
  CHECK(values(f(constant(27, DType::i32))) == std::vector<double>{111});
}

TEST_CASE("map_fn and scan stack what each row gives") {
  const Tensor x = constant({1, 2, 3, 4, 5, 6}, Shape{3, 2}, DType::f32);
  const auto mapped = [](const Tensor& x) {
    return map_fn([](const Tensor& row) { return reduce_sum(row) * row; }, x);
  };
  Function f("mapped", mapped);
  CHECK(values(mapped(x)) == std::vector<double>{3, 6, 21, 28, 55, 66});
  CHECK(values(f(x)) == values(mapped(x)));
  for (const bool reverse : {false, true}) {
    const auto sums = [reverse](const Tensor& x) {
      return scan([](const Tensor& sum, const Tensor& row) { return sum * 2 + row; }, x, zeros({2}),
                  {.reverse = reverse});
    };
    Function g("sums", sums);
    CHECK(values(sums(x)) ==
          (reverse ? std::vector<double>{27, 34, 13, 16, 5, 6} : std::vector<double>{1, 2, 5, 8, 15, 22}));
    CHECK(values(g(x)) == values(sums(x)));
  }
  Function none("none", mapped);
  CHECK(none(zeros({0, 2})).shape() == Shape{0, 2});
  CHECK(error_of([&] { mapped(zeros({0, 2})); }).find("no rows") != std::string::npos);
}

TEST_CASE("a loop in a function is one node however often it runs") {
  Function f("f", [](const Tensor& x) {
    return while_loop([](const Tensor& v) { return reduce_sum(v) < 1000; },
                      [](const Tensor& v) { return v * 2; }, x);
  });
  const std::string text = f.get_concrete_function({constant({1.0, 2.0})}).graph_text();
  CHECK(text.find("StatelessWhile") != std::string::npos);
  CHECK(text.find("Mul") == std::string::npos);
}

TEST_CASE("mistakes in branches and loops are reported with the user's line") {
  const Tensor x = constant(1.0);
  const auto in_function = [&](auto body) {
    Function f("f", body);
    return error_of([&] { f(x); });
  };
  const auto says = [](const std::string& message, const std::string& what) {
    INFO(message);
    CHECK(message.find(what) != std::string::npos);
    CHECK(message.find("flow_test.cpp:") != std::string::npos);
  };
  says(error_of([&] {
         cond(
             x, [&] { return x; }, [&] { return x; });
       }),
       "the predicate must be a bool scalar, got float32[]");
  says(error_of([&] {
         cond(
             constant({1.0, 2.0}) > 0, [&] { return x; }, [&] { return x; });
       }),
       "reduce_any");
  says(in_function([](const Tensor& x) {
         return cond(
             x > 0, [&] { return x; }, [&] { return cast(x, DType::i32); });
       }),
       "result 1 is float32[] from true_fn and int32[] from false_fn");
  says(in_function([](const Tensor& x) {
         return cond(
             x > 0, [&] { return std::vector{x}; },
             [&] {
               return std::vector{x, x};
             })[0];
       }),
       "true_fn returns [tensor] and false_fn returns [tensor, tensor]");
  says(in_function([](const Tensor& x) {
         return cond(
             x > 0, [&] { return x; }, [&] { return expand_dims(x, 0); });
       }),
       "one shape each");
  says(in_function([](const Tensor& x) {
         return while_loop(
             kAlways, [](const Tensor& v) { return cast(v, DType::f64); }, x);
       }),
       "loop variable 1 is float32[] before a round and float64[] after it; cast");
  says(in_function([](const Tensor& x) {
         return while_loop(
             kAlways, [](const Tensor& v) { return expand_dims(v, 0); }, x);
       }),
       "pad or reshape");
  says(in_function([&](const Tensor& x) {
         return while_loop([](const Tensor& v) { return v; }, [](const Tensor& v) { return v; }, x);
       }),
       "the condition's result must be a bool scalar");
  using Branches = std::vector<std::function<Tensor()>>;
  const auto choose = [&](const Tensor& index) { return switch_case(index, Branches{[&] { return x; }}); };
  for (const auto& [index, message] :
       {std::pair(x, "the index must be an int32 or int64 scalar, got float32[]"),
        std::pair(constant({0, 1}, DType::i32), "the index must be a scalar, got int32[2]; reduce it"),
        std::pair(Tensor(), "the index must be an int32 or int64 scalar, got None")}) {
    says(error_of([&] { choose(index); }), message);
    says(in_function([&](const Tensor&) { return choose(index); }), message);
  }
  const Tensor first = constant(0, DType::i64);
  CHECK(values(choose(first)) == values(x));
  says(error_of([&] { switch_case(first, Branches()); }), "got no branches");
  const auto same = [](const Tensor& v) { return v; };
  says(error_of([&] { while_loop(kAlways, same, x, {.maximum_iterations = -1}); }),
       "maximum_iterations is -1, expected none or at least 0");
  says(error_of([&] { map_fn([](const std::vector<Tensor>& rows) { return rows; }, std::vector<Tensor>()); }),
       "got no elements; give a tensor");
  says(error_of([&] { map_fn([](const Tensor& row) { return row; }, x); }), "no");
  says(error_of([&] {
         map_fn([](const std::pair<Tensor, Tensor>& rows) { return rows.first; },
                std::pair(zeros({2}), zeros({3})));
       }),
       "2 and 3 rows");
}
