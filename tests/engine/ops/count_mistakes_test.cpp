// Lists of another length than the op needs: one Error that names the op and the line of the call.
#include <limits>

#include <fmt/format.h>

#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"

using namespace tapescope;

TEST_CASE("lists of another length than the op needs", "[mistakes]") {
  const Tensor x = ones({2, 3, 4}), ids = constant({0, 1}, DType::i32);
  const std::vector<Tensor> none, one{x}, absent{x, Tensor()};
  struct Mistake {
    const char* op;
    std::string message;
  };
  const Mistake mistakes[] = {
      {"AddN", error_of([&] { add_n(none); })},
      {"AddN", error_of([&] { add_n(absent); })},
      {"ConcatV2", error_of([&] { concat(none, 0); })},
      {"ConcatV2", error_of([&] { concat(absent, 0); })},
      {"Pack", error_of([&] { stack(none, 0); })},
      {"Pack", error_of([&] { stack(absent, 0); })},
      {"Einsum", error_of([&] { einsum("ij,jk->ik", one); })},
      {"Einsum", error_of([&] {
         einsum("ijk->k", {x, x});
       })},
      {"Einsum", error_of([&] { einsum("ij->i", one); })},
      {"Einsum", error_of([&] { einsum("ijk->k", none); })},
      {"Einsum", error_of([&] { einsum("ijk,", absent); })},
      {"Split", error_of([&] { split(x, 0, 0); })},
      {"Split", error_of([&] { split(x, -2, 0); })},
      {"Split", error_of([&] { split(x, 5, 1); })},
      {"SplitV", error_of([&] {
         split(x, std::vector<std::int64_t>{1, 1}, 1);
       })},
      {"SplitV", error_of([&] {
         split(x, std::vector<std::int64_t>{-1, -1}, 1);
       })},
      {"SplitV", error_of([&] { split(x, std::vector<std::int64_t>{}, 1); })},
      {"Unpack", error_of([&] { unstack(x, 3); })},
      {"Unpack", error_of([&] { unstack(ones({70000}), 0); })},
      {"Transpose", error_of([&] {
         transpose(x, {1, 0});
       })},
      {"Transpose", error_of([&] {
         transpose(x, {0, 1, 2, 3});
       })},
      {"Tile", error_of([&] { tile(x, {2}); })},
      {"Tile", error_of([&] {
         tile(x, {2, -1, 1});
       })},
      {"Slice", error_of([&] {
         slice(x, {0, 0}, {1, 1, 1});
       })},
      {"Slice", error_of([&] {
         slice(x, {0, 0, 0}, {1, 1});
       })},
      {"StridedSlice", error_of([&] {
         strided_slice(x, {0, 0}, {1}, {1});
       })},
      {"StridedSlice", error_of([&] {
         strided_slice(x, {0, 0, 0, 0}, {1, 1, 1, 1}, {1, 1, 1, 1});
       })},
      {"StridedSlice", error_of([&] { strided_slice(x, {0}, {1}, {0}); })},
      {"Pad", error_of([&] {
         pad(x, {{1, 1}});
       })},
      {"Pad", error_of([&] {
         pad(x, {{1, 1}, {1, 1}, {1, 1}, {1, 1}});
       })},
      {"Reshape", error_of([&] {
         reshape(x, {-1, -1});
       })},
      {"Reshape", error_of([&] {
         reshape(x, {5, -1});
       })},
      {"Repeat", error_of([&] {
         repeat(x, std::vector<std::int64_t>{1, 2, 3}, 0);
       })},
      {"Sum", error_of([&] {
         reduce_sum(x, {0, 0});
       })},
      {"Sum", error_of([&] { reduce_sum(x, {3}); })},
      {"Squeeze", error_of([&] { squeeze(x, {0}); })},
  };
  for (const Mistake& mistake : mistakes) {
    INFO(mistake.op << ": " << mistake.message);
    CHECK(mistake.message.starts_with(fmt::format("[{}] ", mistake.op)));
    CHECK(mistake.message.find("(at count_mistakes_test.cpp:") != std::string::npos);
  }
}

TEST_CASE("sizes that no tensor has are refused, whatever they add up to", "[mistakes]") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = -most - 1;
  constexpr std::int64_t turn = std::int64_t{1} << 32;  // what 32 bits leave out
  const Tensor x = ones({24});
  const auto parts = [&](std::vector<std::int64_t> sizes) { return error_of([&] { split(x, sizes, 0); }); };
  CHECK(error_of([&] { slice(x, {1}, {most}); }).starts_with("[Slice] "));
  CHECK(error_of([&] { slice(x, {least}, {-1}); }).starts_with("[Slice] "));
  CHECK(error_of([&] { slice(x, {turn}, {2}); }).starts_with("[Slice] "));
  CHECK(error_of([&] { slice(x, {0}, {turn + 2}); }).starts_with("[Slice] "));
  CHECK(parts({most, most, -1}).starts_with("[SplitV] "));
  CHECK(parts({least, least}).starts_with("[SplitV] "));
  CHECK(parts({turn + 20, 4}).starts_with("[SplitV] "));
  CHECK(error_of([&] { reshape(x, {turn + 24}); }).starts_with("[Reshape] "));
  CHECK(error_of([&] { reshape(x, {turn, turn, -1}); }).starts_with("[Reshape] "));
  CHECK(error_of([&] { reshape(x, {most, most, 24}); }).starts_with("[Reshape] "));
  CHECK(error_of([&] { at(x, most); }).starts_with("[StridedSlice] "));
  CHECK(error_of([&] { at(x, least); }).starts_with("[StridedSlice] "));
}

TEST_CASE("a number that does not fit into an attribute is refused, not cut", "[mistakes]") {
  constexpr std::int64_t turn = std::int64_t{1} << 32, most = std::numeric_limits<std::int64_t>::max();
  const Tensor x = ones({2, 3}), number = constant(1.0), ids = constant({0, 1}, DType::i32);
  const struct {
    const char* op;
    std::string message;
  } mistakes[] = {
      {"Tile", error_of([&] {
         tile(x, {turn + 1, 1});
       })},
      {"Transpose", error_of([&] {
         transpose(x, {turn + 1, 0});
       })},
      {"Fill", error_of([&] { fill({turn + 2}, number); })},
      {"BroadcastTo", error_of([&] {
         broadcast_to(x, {turn + 1, 2, 3});
       })},
      {"ScatterNd", error_of([&] {
         scatter_nd(constant({{0}, {1}}, DType::i32), x, {turn + 2, 3});
       })},
      {"Pad", error_of([&] {
         pad(x, {{turn, 0}, {0, 0}});
       })},
      {"OneHot", error_of([&] { one_hot(ids, turn + 2); })},
      {"UnsortedSegmentSum", error_of([&] { unsorted_segment_sum(x, ids, turn + 2); })},
      {"UnsortedSegmentMax", error_of([&] { unsorted_segment_max(x, ids, turn + 2); })},
      {"RandomUniform", error_of([&] { random_uniform({turn + 2}); })},
      {"Repeat", error_of([&] { repeat(x, turn + 1, 0); })},
      {"Repeat", error_of([&] { repeat(x, most, 0); })},
  };
  for (const auto& [op, message] : mistakes) {
    INFO(op);
    CHECK(message.starts_with(fmt::format("[{}] ", op)));
    CHECK(message.find(" does not fit into 32 bits, as sizes and places must (at ") != message.npos);
  }
  CHECK(repeat(x, 2, 0).shape() == Shape{4, 3});
}

TEST_CASE("a list of targets or sources with a None in it, or one that is empty", "[mistakes]") {
  const Tensor x = constant(3.0);
  GradientTape tape({.persistent = true});
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = x * x;
  }
  const std::vector<Traced> nothing;
  const std::vector<Traced> both{y, Tensor()};
  CHECK(kind_of([&] { tape.gradient(both, std::vector<Traced>{x}); }) == ErrorKind::type);
  CHECK(kind_of([&] { tape.gradient(y, std::vector<Traced>{x, Tensor()}); }) == ErrorKind::type);
  CHECK(kind_of([&] { tape.gradient(y, x, {.output_gradients = {Tensor()}}); }) == ErrorKind::value);
  CHECK(tape.gradient(y, nothing).empty());
  CHECK_FALSE(tape.gradient(nothing, std::vector<Traced>{x})[0]);
  CHECK(item(tape.gradient(y, x)) == 6);
}
