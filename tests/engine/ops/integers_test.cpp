// Integers beyond their range: every op wraps as TensorFlow 2.21 does, whose results these are, and none is
// undefined.
#include <cmath>
#include <limits>

#include "engine/kernels/map.h"
#include "engine/ops/ops.h"
#include "engine/tape/variable.h"
#include "tests/engine/ops/op_calls.h"
#include "tests/support/catch.h"
#include "tests/support/op_rows.h"

using namespace tapescope;

namespace {

template <class T>
struct Ends {
  static constexpr DType dtype = sizeof(T) == 4 ? DType::i32 : DType::i64;
  static constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
};

template <class T>
Tensor whole(std::initializer_list<T> x, const Shape& shape) {
  return constant(std::span<const T>(x.begin(), x.size()), shape, Ends<T>::dtype);
}
template <class T>
Tensor whole(std::initializer_list<T> x) {
  return whole<T>(x, {static_cast<std::int64_t>(x.size())});
}
template <class T>
std::vector<T> values(const Tensor& x) {
  REQUIRE(x.dtype() == Ends<T>::dtype);
  return {x.data<T>(), x.data<T>() + x.numel()};
}

template <class T>
bool all_are(const Tensor& y, std::int64_t count, T expected) {
  return values<T>(y) == std::vector<T>(static_cast<std::size_t>(count), expected);
}

template <class Test>
void for_each_type(Test test) {
  test(std::int32_t{});
  test(std::int64_t{});
}

// In lanes of vectors, in what is left of them, and alone.
constexpr std::int64_t kLengths[] = {1, 2, 4, 8, 33};

}  // namespace

TEST_CASE("elementwise integers wrap") {
  for_each_type([]<class T>(T) {
    constexpr T least = Ends<T>::least, most = Ends<T>::most;
    for (const kernels::Instructions used : kernels::kInstructions) {
      kernels::limit_instructions(used);
      for (const std::int64_t n : kLengths) {
        CAPTURE(used, n);
        const auto is = [&](const Tensor& y, T expected) { CHECK(all_are(y, n, expected)); };
        const Tensor low = fill({n}, least, Ends<T>::dtype), high = fill({n}, most, Ends<T>::dtype),
                     one = ones({n}, Ends<T>::dtype);
        is(abs(low), least);
        is(abs(low + one), most);
        is(-low, least);
        is(high + one, least);
        is(low - one, most);
        is(high * high, 1);
        is(low * high, least);
        is(square(low), 0);
        is(squared_difference(low, high), 1);
        is(floordiv(low, -one), least);
        is(floormod(low, -one), 0);
        is(pow(high, one + one + one), most);
        is(sign(low), -1);
        is(add_n(std::vector<Tensor>{high, high}), -2);
        Variable sum(high);
        sum.assign_add(one);
        is(sum.value(), least);
        sum.assign_sub(one);
        is(sum.value(), most);
      }
    }
    kernels::limit_instructions(kernels::Instructions::avx512);
  });
}

TEST_CASE("sums and products of integers wrap") {
  for_each_type([]<class T>(T) {
    constexpr T least = Ends<T>::least, most = Ends<T>::most;
    const Tensor x = whole<T>({most, most, 3}), ends = whole<T>({least, most, most, least});
    for (const kernels::Instructions used : kernels::kInstructions) {
      kernels::limit_instructions(used);
      CHECK(values<T>(reduce_sum(x)) == std::vector<T>{1});
      CHECK(values<T>(reduce_prod(x)) == std::vector<T>{3});
      for (const std::int64_t n : {17, 40, 200'000}) {
        CAPTURE(used, n);
        const Tensor wide = fill({n}, most, Ends<T>::dtype);
        // With m = 2^31 - 1: n m = -n for an even n, and m m = 1 (mod 2^32).
        CHECK(values<T>(reduce_sum(wide)) ==
              std::vector<T>{n % 2 ? static_cast<T>(most - (n - 1)) : static_cast<T>(-n)});
        CHECK(values<T>(reduce_prod(wide)) == std::vector<T>{n % 2 ? most : T(1)});
        const Tensor columns = reshape(concat({wide, wide}, 0), {2, n});
        CHECK(all_are<T>(reduce_sum(columns, 0), n, -2));
        CHECK(all_are<T>(reduce_prod(columns, 0), n, 1));
      }
    }
    kernels::limit_instructions(kernels::Instructions::avx512);
    const T mean = sizeof(T) == 4 ? most : static_cast<T>(3074457345618258601);
    CHECK(values<T>(reduce_mean(whole<T>({most, most, most}))) == std::vector<T>{mean});
    CHECK(values<T>(cumsum(ends)) == std::vector<T>{least, -1, most - 1, -2});
    CHECK(values<T>(cumprod(ends)) == std::vector<T>{least, least, least, 0});
  });
}

TEST_CASE("products of integer matrices wrap, whatever they are written as") {
  for_each_type([]<class T>(T) {
    constexpr T most = Ends<T>::most;
    const Tensor row = whole<T>({most, most}, {1, 2}), column = whole<T>({most, 3}, {2, 1});
    CHECK(values<T>(matmul(row, column)) == std::vector<T>{most - 1});
    CHECK(values<T>(einsum("ij,jk->ik", {row, column})) == std::vector<T>{most - 1});
    CHECK(values<T>(einsum("ij->i", {row})) == std::vector<T>{-2});
    CHECK(values<T>(tensordot(row, column, 1)) == std::vector<T>{most - 1});
    // Digits that a double has not.
    const Tensor digits = whole<T>({most - 2, 1}, {1, 2});
    CHECK(values<T>(einsum("ij->ij", {digits})) == std::vector<T>{most - 2, 1});
    CHECK(values<T>(einsum("ij->i", {digits})) == std::vector<T>{most - 1});
  });
}

TEST_CASE("integers that are added up by an index wrap") {
  for_each_type([]<class T>(T) {
    constexpr T least = Ends<T>::least, most = Ends<T>::most;
    const Tensor three = whole<T>({most, most, 3}), ids = constant({0, 0, 0}), at = constant({{0}, {0}});
    CHECK(values<T>(unsorted_segment_sum(three, ids, 1)) == std::vector<T>{1});
    CHECK(values<T>(segment_sum(three, ids)) == std::vector<T>{1});
    CHECK(values<T>(scatter_nd(at, whole<T>({most, most}), {1})) == std::vector<T>{-2});
    const Tensor first = constant({{0}});
    CHECK(values<T>(tensor_scatter_nd_add(whole<T>({most}), first, whole<T>({most}))) == std::vector<T>{-2});
    CHECK(values<T>(tensor_scatter_nd_sub(whole<T>({most}), first, whole<T>({least}))) == std::vector<T>{-1});
  });
}

// Of the table, so that a new row is tested: the sanitized build finds what is undefined.
TEST_CASE("every elementwise op gives extreme integers in an array what it gives each alone") {
  for_each_type([]<class T>(T) {
    constexpr DType dtype = Ends<T>::dtype;
    std::vector<T> a, b;
    for (const T x :
         {Ends<T>::least, T(Ends<T>::least + 1), T(-1), T(1), T(2), T(Ends<T>::most - 1), Ends<T>::most}) {
      for (const T y : {Ends<T>::least, T(-1), T(1), T(3), Ends<T>::most}) {
        a.push_back(x);
        b.push_back(y);
      }
    }
    const std::vector<T> positive(b.size(), 3);
    for (const int count : {1, 2}) {
      for (const OpDef* op : test::elementwise_rows(count, dtype)) {
        CAPTURE(op->name);
        const std::vector<T>& second = op->name == std::string_view("Pow") ? positive : b;
        const auto inputs = [&](const std::vector<T>& x, const std::vector<T>& y) {
          const auto tensor = [](const std::vector<T>& v) {
            return constant(std::span<const T>(v), {static_cast<std::int64_t>(v.size())}, dtype);
          };
          return count == 2 ? std::vector<Tensor>{tensor(x), tensor(y)} : std::vector<Tensor>{tensor(x)};
        };
        const auto run = [&](const std::vector<Tensor>& x) { return run_call({op, x, kNoAttrs})[0]; };
        const Tensor together = run(inputs(a, second));
        for (std::size_t i = 0; i < a.size(); ++i) {
          const Tensor alone = run(inputs({a[i]}, {second[i]}));
          CHECK(element(alone, 0) == element(together, static_cast<std::int64_t>(i)));
        }
      }
    }
  });
}

TEST_CASE("the float32 logarithm of every kind of number is the C library's") {
  constexpr float kInf = std::numeric_limits<float>::infinity(),
                  kNan = std::numeric_limits<float>::quiet_NaN(), kMost = std::numeric_limits<float>::max(),
                  kLeast = std::numeric_limits<float>::min();
  // Denormals are left out: a processor may be set to take them for zeros.
  const std::vector<float> x{0.f,    -0.f,   1.f,     -1.f, kInf,  -kInf, kNan, -kNan,  kMost,
                             -kMost, kLeast, -kLeast, 0.5f, -0.5f, 3.f,   -3.f, 1e-30f, -1e-30f};
  const Tensor y = log(constant(x));
  for (std::size_t i = 0; i < x.size(); ++i) {
    CAPTURE(x[i]);
    const float expected = std::log(x[i]), got = y.data<float>()[i];
    if (std::isnan(expected)) CHECK(std::isnan(got));
    else CHECK((got == expected || got == Approx(expected)));
  }
}
