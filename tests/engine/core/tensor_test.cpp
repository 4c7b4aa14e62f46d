// Tensors: reference counts, views, ids, values and their texts.
#include "engine/core/tensor.h"

#include <cmath>
#include <set>
#include <thread>

#include "engine/core/pool.h"
#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("values survive in every dtype") {
  for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i32, DType::i64}) {
    const Tensor tensor = make_tensor(std::vector<double>{1, -2, 3, 0}, {2, 2}, dtype);
    CHECK(elements(tensor) == std::vector<double>{1, -2, 3, 0});
    CHECK(tensor.bytes() == static_cast<std::int64_t>(4 * size_of(dtype)));
  }
  CHECK(elements(make_tensor(std::vector<double>{0, 5}, {2}, DType::boolean)) == std::vector<double>{0, 1});
  CHECK_THROWS_WITH(make_tensor(std::vector<double>{1}, {2}, DType::f32),
                    contains_text("float32[2] needs 2 values, got 1"));
}

TEST_CASE("make_full fills every element") {
  for (std::int64_t count : {0, 1, 2, 3, 7, 1000}) {
    const std::vector<double> values = elements(make_full({count}, 2.5, DType::f16));
    CHECK(values == std::vector<double>(static_cast<std::size_t>(count), 2.5));
  }
}

TEST_CASE("a view keeps its owner alive and points into it") {
  const std::int64_t live = pool_stats().live_bytes;
  {
    Tensor base = make_tensor(std::vector<double>{1, 2, 3, 4}, {4}, DType::f32);
    const void* data = base.raw();
    Tensor view(new_view(base.impl(), intern_type(DType::f32, {2, 2}), base.impl()->data));
    Tensor second(
        new_view(view.impl(), intern_type(DType::f32, {2}), static_cast<float*>(view.impl()->data) + 2));
    CHECK(second.impl()->base == base.impl());  // the owner, not the view in between
    CHECK(view.id() != base.id());
    base = Tensor();
    view = Tensor();
    CHECK(second.data<float>() == static_cast<const float*>(data) + 2);
    CHECK(elements(second) == std::vector<double>{3, 4});
  }
  CHECK(pool_stats().live_bytes == live);
}

TEST_CASE("ids are never reused and consecutive ones can be had") {
  const TensorId first = next_tensor_ids(3);
  CHECK(next_tensor_ids(1) >= first + 3);
  const TensorId many = next_tensor_ids(5000);
  CHECK(next_tensor_ids(1) >= many + 5000);
  std::set<TensorId> ids;
  for (int i = 0; i < 100; ++i) ids.insert(make_full({}, 0, DType::f32).id());
  CHECK(ids.size() == 100);
  CHECK(ids.count(0) == 0);
}

TEST_CASE("the id a thread would give next stays its own, and each block of 1,024 is one thread's",
          "[threads]") {
  const auto block = [](TensorId id) { return (id - 1) / 1024; };
  TensorId elsewhere = 0;
  const auto on_another_thread = [&] { std::thread([&] { elsewhere = next_tensor_ids(1); }).join(); };
  for (const int used : {1023, 1024, 1500}) {
    const TensorId first = next_tensor_ids(used);
    const TensorId last = first + static_cast<TensorId>(used) - 1;
    next_tensor_ids(static_cast<int>(1024 - last % 1024) % 1024);  // uses its block up
    const TensorId next = peek_tensor_id();
    on_another_thread();
    CHECK(block(elsewhere) != block(next));
    CHECK(next_tensor_ids(1) == next);
  }
}

TEST_CASE("tensors are counted across threads", "[threads]") {
  const std::int64_t live = pool_stats().live_bytes;
  {
    const Tensor shared = make_full({16}, 1, DType::f32);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([copy = shared] {
        for (int i = 0; i < 10000; ++i) Tensor again = copy;
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(shared.impl()->references == 1);
  }
  CHECK(pool_stats().live_bytes == live);
}

TEST_CASE("a name is for people and changes nothing else") {
  const Tensor tensor = make_full({2}, 1, DType::f32).named("images");
  CHECK(tensor.name() == "images");
  CHECK(Tensor().name().empty());
  CHECK_FALSE(static_cast<bool>(Tensor()));
}

TEST_CASE("values are written nested, and cut at the limit") {
  CHECK(values_text(make_tensor(std::vector<double>{1, 2, 3, 4}, {2, 2}, DType::f32)) == "[[1, 2], [3, 4]]");
  CHECK(values_text(make_full({}, 0.1, DType::f32)) == "0.1");
  CHECK(values_text(make_full({3}, 7, DType::i64), 2) == "[7, 7, …]");
  CHECK(values_text(make_full({2, 2}, 7, DType::i32), 3) == "[[7, 7], [7, …]]");
  CHECK(values_text(make_full({2, 2}, 7, DType::i32), 2) == "[[7, 7], …]");
  CHECK(values_text(make_full({2}, 1, DType::boolean)) == "[true, true]");
  CHECK(values_text(make_full({0}, 1, DType::f32)) == "[]");
  CHECK(values_text(make_full({}, std::nan(""), DType::f16)) == "nan");
  CHECK(values_text(Tensor()) == "None");
}
