// Tensors in the inspector: slices, ranges, what a gradient is made of, files.
#include <cstring>
#include <set>

#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"
#include "viewer/export/files.h"
#include "viewer/model/contributions.h"
#include "viewer/model/machine_roof.h"
#include "viewer/panels/inspector.h"
#include "viewer/panels/ops.h"

using namespace tapescope;
using namespace tapescope::ui;

namespace {

// 0, 1, 2, ... in that shape.
Tensor counting(const Shape& shape, DType dtype = DType::f32) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < shape.numel(); ++i) values.push_back(static_cast<double>(i));
  return make_tensor(values, shape, dtype);
}

}  // namespace

TEST_CASE("a slice of any rank is the last two axes at the others' indices") {
  const Tensor x = counting(Shape{2, 3, 4, 5}, DType::f16);
  const std::int64_t at[] = {1, 2};
  const Tensor slice = slice_of(x, at);
  CHECK(slice.shape() == Shape{4, 5});
  CHECK(slice.dtype() == DType::f16);
  CHECK(element(slice, 0) == 100);
  CHECK(element(slice, 19) == 119);
  const std::int64_t beyond[] = {7};
  CHECK(element(slice_of(x, beyond), 0) == 60);
  CHECK(slice_of(counting(Shape{4, 5}), at).shape() == Shape{4, 5});
  CHECK(index_text(Shape{2, 3, 4}, 23) == "[1, 2, 3]");
  CHECK(index_text(Shape{}, 0) == "[]");
}

TEST_CASE("a single large element hides the others in a linear range, not in a clipped or logarithmic one") {
  std::vector<double> values(1000, 0.5);
  values[0] = 1e4;
  values[1] = -1e-1;
  const Tensor x = make_tensor(values, Shape{1, 1000}, DType::f64);
  const auto cell = [&](ValueRange range, int column) {
    return make_tensor_picture(x, range, 1, 1000).grid[static_cast<std::size_t>(column)];
  };
  CHECK(cell(ValueRange::linear, 0) == 1);
  CHECK(cell(ValueRange::linear, 500) < 0.001f);
  CHECK(cell(ValueRange::clipped, 0) == 1);
  CHECK(cell(ValueRange::clipped, 500) == 1);
  CHECK(cell(ValueRange::log, 500) == Approx(1 + std::log10(0.5e-4) / 6));
  CHECK(cell(ValueRange::log, 1) == Approx(-(1 + std::log10(1e-5) / 6)));
  const TensorPicture picture = make_tensor_picture(x, ValueRange::log);
  CHECK(picture.at[0] == 0);
  std::int64_t counted = 0;
  for (const std::int64_t count : picture.counts) counted += count;
  CHECK(counted == 1000);
  // Bars of a logarithmic range: one element beside a thousand is seen.
  CHECK(picture.bins.back() > 0.09f);
  CHECK(make_tensor_picture(x).bins.back() < 0.01f);
}

TEST_CASE("a gradient's contributors are the ops that used the source, in the order of the walk") {
  const Variable w(make_full({3}, 2, DType::f32), {.name = "w"});
  const Tensor x = constant({1.0, 2.0, 3.0});
  const auto snapshot = test::snapshot_of([&](std::uint64_t) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor first = exp(w), second = w * w, third = x * w;
      loss = reduce_sum(first + second + third);
    }
    tape.gradient(loss, w);
  });
  const StepView& step = *snapshot->complete;
  const auto by = contributors(step, w.id(), 0);
  REQUIRE(by.size() == 4);
  std::multiset<std::pair<std::string, std::uint32_t>> uses;
  for (std::size_t i = 0; i < by.size(); ++i) {
    uses.emplace(step.ops[by[i].op].op, by[i].slot);
    if (i > 0) CHECK(by[i - 1].node <= by[i].node);
  }
  CHECK(uses ==
        std::multiset<std::pair<std::string, std::uint32_t>>{{"Exp", 0}, {"Mul", 0}, {"Mul", 1}, {"Mul", 1}});
  CHECK(contributors(step, x.id(), 0).size() == 1);
  CHECK(contributors(step, w.id(), 1).empty());
}

TEST_CASE("a source is shown with its value, the sum of its parts and the change since the step before") {
  GradientRow row;
  row.source = row.name = "w";
  FrameView frame;
  frame.cursor = 9;
  frame.frame.backward = true;
  frame.frame.accumulated = {
      {"w", constant({1.0, 2.0})}, {"v", constant({9.0, 9.0})}, {"w", constant({10.0, 20.0})}};
  frame.arrived = arrived_at_sources(frame.frame);
  frame.values = {{"w", constant({5.0, 6.0})}};
  ProgramResult result;
  result.gradients = {{"w", constant({11.0, 20.0})}};
  const SourceValues values = source_values(row, &frame, &result, nullptr);
  REQUIRE(values.parts.size() == 2);
  CHECK(element(values.gradient, 1) == 22);
  const Inspection paused = inspect_source(row, values);
  REQUIRE(paused.tensors.size() == 3);
  CHECK(paused.tensors[0].heading == "value");
  CHECK(paused.tensors[1].picture.stats.max == 22);
  CHECK(elements(paused.tensors[2].value) == std::vector<double>{0, 2});
  // At rest the results are the last step's, and the parts are not known any more.
  result.earlier_gradients = {{"w", constant({1.0, 1.0})}};
  const SourceValues rest = source_values(row, nullptr, &result, nullptr);
  CHECK(rest.parts.empty());
  CHECK_FALSE(rest.parts_note.empty());
  CHECK(element(rest.earlier, 0) == 1);
  CHECK(inspect_source(row, {}).tensors.empty());
}

TEST_CASE("tensors are written as NumPy arrays and as lines") {
  const std::string npy = tensor_npy(counting(Shape{2, 3}));
  CHECK(npy.substr(0, 6) == "\x93NUMPY");
  CHECK(npy.find("'descr': '<f4'") != std::string::npos);
  CHECK(npy.find("'shape': (2,3)") != std::string::npos);
  REQUIRE(npy.size() == 128 + 24);
  float last = 0;
  std::memcpy(&last, npy.data() + npy.size() - 4, 4);
  CHECK(last == 5);
  CHECK(tensor_npy(counting(Shape{3})).find("'shape': (3,)") != std::string::npos);
  CHECK(tensor_npy(make_full(Shape{}, 1, DType::f64)).find("'shape': ()") != std::string::npos);
  const std::string half = tensor_npy(counting(Shape{2}, DType::bf16));
  CHECK(half.find("'<f4'") != std::string::npos);
  CHECK(half.size() == 128 + 8);
  CHECK(tensor_csv(counting(Shape{2, 3})) == "0,1,2\n3,4,5\n");
  CHECK(tensor_csv(counting(Shape{2, 2, 2})) == "axis0,axis1,0,1\n0,0,0,1\n0,1,2,3\n1,0,4,5\n1,1,6,7\n");
  CHECK(tensor_csv(make_full(Shape{}, 0.1, DType::f64)) == "0.1\n");
}

TEST_CASE("an op's roof is the machine's arithmetic, or its memory where it moves much") {
  const MachineRoof machine{100, {{{100, 40}, {1000, 20}, {1e4, 10}, {1e5, 5}}}};
  CHECK(machine.at(1000, 1) == 100);
  CHECK(machine.at(1000, 1000) == 20);
  CHECK(machine.at(1000, 1000, 10) == 40);  // ten calls of a hundred bytes each stay in the nearest cache
  CHECK(machine.at(1000, 1e6) == Approx(5e-3));
  CHECK(std::isnan(machine.at(0, 1000)));
  CHECK(std::isnan(MachineRoof{NAN, machine.levels}.at(1000, 1)));
  OpsTable table;
  table.rows.resize(2);
  table.rows[0].flops = 1000, table.rows[0].bytes = 1000, table.rows[0].rate = 10, table.rows[0].calls = 1;
  hold_against(table, machine);
  CHECK(table.rows[0].of_roof == Approx(0.5));
  CHECK(std::isnan(table.rows[1].of_roof));
  CHECK(ops_plain(table).find("of_roof") != std::string::npos);
}
