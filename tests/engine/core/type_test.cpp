// Shapes, broadcasting and interned types.
#include "engine/core/type.h"

#include <sstream>
#include <thread>
#include <vector>

#include "engine/core/error.h"
#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("dtypes have TensorFlow's names") {
  for (int i = 0; i < kDTypeCount; ++i)
    CHECK(dtype_named(name_of(static_cast<DType>(i))) == static_cast<DType>(i));
  CHECK(name_of(DType::bf16) == "bfloat16");
  CHECK_THROWS_WITH(dtype_named("float8"), contains_text("float8") && contains_text("bfloat16"));
}

TEST_CASE("a shape refuses a ninth dimension and negative sizes") {
  CHECK(Shape({2, 3}).numel() == 6);
  CHECK(Shape().numel() == 1);
  CHECK(Shape({4, 0}).numel() == 0);
  CHECK(Shape({64, 784}).text() == "[64, 784]");
  CHECK(Shape().text() == "[]");
  CHECK(Shape({2, 3}) == Shape({2, 3}));
  CHECK_FALSE(Shape({2, 3}) == Shape({2, 3, 1}));
  CHECK_THROWS_WITH(Shape({1, 1, 1, 1, 1, 1, 1, 1, 1}), contains_text("more than 8"));
  CHECK_THROWS_WITH(Shape({2, -1}), contains_text("negative"));
}

TEST_CASE("shapes broadcast by NumPy's rule") {
  CHECK(broadcast_shapes({3, 4}, {4}) == Shape({3, 4}));
  CHECK(broadcast_shapes({3, 1}, {1, 4}) == Shape({3, 4}));
  CHECK(broadcast_shapes({}, {2, 3}) == Shape({2, 3}));
  CHECK(broadcast_shapes({0, 3}, {1, 3}) == Shape({0, 3}));
  CHECK(broadcast_shapes({1}, {0}) == Shape({0}));
  try {
    broadcast_shapes({2, 3}, {5, 2});
    FAIL("did not throw");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::invalid_argument);
    CHECK_THAT(error.what(),
               contains_text("[2, 3]") && contains_text("[5, 2]") && contains_text("sizes 2 and 5"));
  }
}

TEST_CASE("equal types are one object") {
  const Type* type = intern_type(DType::f32, {64, 784});
  CHECK(intern_type(DType::f32, {64, 784}) == type);
  CHECK(intern_type(DType::f64, {64, 784}) != type);
  CHECK(intern_type(DType::f32, {784, 64}) != type);
  CHECK(type->numel == 64 * 784);
  CHECK(type->bytes == 64 * 784 * 4);
  CHECK(type->text() == "float32[64, 784]");
  CHECK(type_with_id(type->id) == type);
  CHECK(type_with_id(0xffffffffu) == nullptr);
  CHECK_THROWS_WITH(intern_type(DType::f32, {std::int64_t{1} << 40, std::int64_t{1} << 40}),
                    contains_text("more elements"));
}

TEST_CASE("threads that intern the same shapes get the same types, while the table grows", "[threads]") {
  constexpr int kThreads = 4, kShapes = 5000;
  std::vector<std::vector<const Type*>> seen(kThreads, std::vector<const Type*>(kShapes));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kShapes; ++i) seen[t][i] = intern_type(DType::f32, {i, 7, 11});
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 1; t < kThreads; ++t) CHECK(seen[t] == seen[0]);
  for (int i = 0; i < kShapes; ++i) {
    if (seen[0][i]->shape != Shape({i, 7, 11}) || type_with_id(seen[0][i]->id) != seen[0][i])
      FAIL("shape " << i);
  }
}

TEST_CASE("a shape is written to a stream as its text") {
  std::ostringstream text;
  text << Shape{2, 3} << Shape{};
  CHECK(text.str() == "[2, 3][]");
}
