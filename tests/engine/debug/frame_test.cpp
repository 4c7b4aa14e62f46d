// What a frame's hash covers: two runs that differ there are not taken for the same.
#include "engine/debug/frame.h"

#include <set>

#include "engine/ops/ops.h"
#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("a frame's hash covers its place, its op and each value that it shows", "[gate]") {
  const auto made = [] {
    Frame frame;
    frame.cursor = 3;
    frame.op = intern_op_name("Mul");
    frame.site = intern_site("train.cpp", "step", 7, 0);
    for (auto list : {&Frame::inputs, &Frame::outputs, &Frame::cotangents_in, &Frame::cotangents_out,
                      &Frame::accumulated}) {
      FrameTensor& item = (frame.*list).emplace_back();
      item.name = "x";
      item.value = constant({1.0, 2.0});
    }
    return frame;
  };
  const std::uint64_t plain = made().hash();
  CHECK(made().hash() == plain);  // other tensors of the same values
  std::set<std::uint64_t> hashes{plain};
  std::size_t changes = 0;
  const auto changed = [&](const auto& change) {
    Frame frame = made();
    change(frame);
    hashes.insert(frame.hash());
    ++changes;
  };
  changed([](Frame& frame) { frame.cursor = 4; });
  changed([](Frame& frame) { frame.inner = 1; });
  changed([](Frame& frame) { frame.backward = true; });
  changed([](Frame& frame) { frame.op = intern_op_name("Sub"); });
  changed([](Frame& frame) { frame.site = intern_site("train.cpp", "step", 8, 0); });
  for (auto list : {&Frame::inputs, &Frame::outputs, &Frame::cotangents_in, &Frame::cotangents_out,
                    &Frame::accumulated}) {
    changed([&](Frame& frame) { (frame.*list)[0].value = constant({1.0, 2.5}); });
    changed([&](Frame& frame) { (frame.*list)[0].value = Tensor(); });
    changed([&](Frame& frame) { (frame.*list)[0].name = "y"; });
    changed([&](Frame& frame) { (frame.*list).clear(); });
  }
  CHECK(hashes.size() == 1 + changes);
}
