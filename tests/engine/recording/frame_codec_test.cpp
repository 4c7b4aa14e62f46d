// A frame read back is the frame that was packed; damaged packs are refused.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/core/slices.h"
#include "engine/recording/frame_codec.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::record;

namespace {

Frame forward_frame() {
  Frame frame;
  frame.cursor = 3;
  frame.op = intern_op_name("MatMul");
  frame.output = 4711;
  frame.site = intern_site("net.cpp", "step", 41,
                           intern_scope(intern_scope(0, intern_name("net")), intern_name("dense")));
  frame.attrs.f[1] = 0.5;
  frame.attrs.text = intern_name("ij,jk->ik");
  frame.attrs.flags = 6;
  frame.attrs.push(-7);
  frame.attrs.push(2'000'000'000);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor shared = make_tensor(std::vector<double>{1.5, -2, nan, 0}, {2, 2}, DType::f32);
  frame.inputs = {
      {"x", shared}, {"", make_tensor(std::vector<double>{1, 2, 3}, {3}, DType::bf16)}, {"again", shared}};
  frame.outputs = {
      {"y", make_full({}, 7, DType::i64)}, {"", Tensor()}, {"empty", make_full({0, 5}, 1, DType::f64)}};
  return frame;
}

Frame backward_frame(const Tensor& rows) {
  Frame frame;
  frame.cursor = 4;
  frame.inner = 2;
  frame.backward = true;
  frame.op = intern_op_name("Gather");
  frame.cotangents_in = {{"", make_tensor(std::vector<double>{1, 0}, {2}, DType::boolean)}};
  frame.cotangents_out = {{"", rows}};
  frame.accumulated = {{"table", rows, 17, 1}, {"bias", {}, 4711, 0}};
  return frame;
}

Tensor some_rows() {
  const Tensor values = make_tensor(std::vector<double>{1, 2, 3, 4}, {2, 2}, DType::f32);
  return make_slices(values, make_tensor(std::vector<double>{5, 0}, {2}, DType::i32),
                     intern_type(DType::f32, {6, 2}));
}

Bytes packed(const FramePacker& packer) {
  ByteWriter out;
  packer.write(out);
  CHECK(out.size() <= packer.bytes());
  return out.bytes();
}

bool unpack(std::span<const std::uint8_t> bytes, std::vector<KeptFrame>& frames) {
  ByteReader in(bytes);
  return read_frames(in, frames) && in.left() == 0;
}

}  // namespace

TEST_CASE("A pack gives back its frames: hash, places, attributes and every element", "[record]") {
  const Frame first = forward_frame(), second = backward_frame(some_rows());
  FramePacker packer;
  REQUIRE(packer.add(first));
  REQUIRE(packer.add(second));
  std::vector<KeptFrame> frames;
  REQUIRE(unpack(packed(packer), frames));
  REQUIRE(frames.size() == 2);
  const Frame& a = frames[0].frame;
  CHECK(frames[0].hash == first.hash());
  CHECK(a.hash() == first.hash());
  CHECK(frames[0].digests.empty());
  CHECK(a.output == 4711);
  CHECK(a.attrs == first.attrs);
  CHECK(scope_path(site_with_id(a.site).scope) == "net/dense");
  CHECK(a.inputs[0].value.impl() == a.inputs[2].value.impl());
  CHECK(a.inputs[0].value.id() == first.inputs[0].value.id());
  CHECK_FALSE(a.outputs[1].value);
  const Frame& b = frames[1].frame;
  CHECK(b.hash() == second.hash());
  CHECK(b.inner == 2);
  REQUIRE(slices_of(b.cotangents_out[0].value.impl()) != nullptr);
  CHECK(elements(slices_of(b.cotangents_out[0].value.impl())->indices) == std::vector<double>{5, 0});
  CHECK_FALSE(b.accumulated[1].value);
  CHECK((b.accumulated[0].source == 17 && b.accumulated[0].source_index == 1));
  CHECK((b.accumulated[1].source == 4711 && b.accumulated[1].source_index == 0));
}

TEST_CASE("A tensor of several frames is stored once", "[record]") {
  Frame frame;
  frame.outputs = {{"weights", make_full({100, 100}, 0.25, DType::f32)}};
  FramePacker packer;
  REQUIRE(packer.add(frame));
  const std::size_t once = packer.bytes();
  for (int i = 0; i < 9; ++i) REQUIRE(packer.add(frame));
  CHECK(once > 40'000);
  CHECK(packer.bytes() < once + 10 * 200);
}

TEST_CASE("A tensor that is too large is kept as its statistics and a sample; the hash is of all of it",
          "[record]") {
  std::vector<double> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  Frame frame;
  frame.outputs = {{"small", make_full({4}, 1, DType::f32)},
                   {"large", make_tensor(values, {10, 100}, DType::f64)}};
  FramePacker packer({.whole_bytes = 64, .sample = 7});
  REQUIRE(packer.add(frame));
  std::vector<KeptFrame> frames;
  REQUIRE(unpack(packed(packer), frames));
  CHECK(frames[0].hash == frame.hash());
  CHECK(frames[0].frame.outputs[0].value);
  CHECK_FALSE(frames[0].frame.outputs[1].value);
  CHECK(digest_of(frames[0].digests, PlacedDigest::List::outputs, 0) == nullptr);
  const TensorDigest* digest = digest_of(frames[0].digests, PlacedDigest::List::outputs, 1);
  REQUIRE(digest != nullptr);
  CHECK(digest->stats.type == intern_type(DType::f64, {10, 100}));
  CHECK(digest->stats.tensor == frame.outputs[1].value.id());
  CHECK(digest->stats.max == 999);
  CHECK(digest->stats.zeros == 1);
  REQUIRE(digest->sample.size() == 7);
  for (std::size_t i = 0; i < 7; ++i) CHECK(digest->sample[i] == static_cast<double>(i * 1000 / 7));
}

TEST_CASE("A full pack takes no more; what no chunk holds whole becomes digests", "[record]") {
  FramePacker packer({.whole_bytes = 64u << 20});
  Frame frame;
  for (int i = 0; i < 4; ++i) frame.outputs.push_back({"", make_full({1 << 20}, i, DType::f32)});
  REQUIRE(packer.add(frame));
  CHECK(packer.bytes() <= kMaxPackBytes);
  std::vector<KeptFrame> frames;
  REQUIRE(unpack(packed(packer), frames));
  CHECK(frames[0].digests.size() == 1);
  CHECK(frames[0].hash == frame.hash());
  Frame other;
  other.outputs = {{"", make_full({1 << 20}, 9, DType::f32)}};
  CHECK_FALSE(packer.add(other));
  CHECK(packer.frames() == 1);
  packer.clear();
  CHECK(packer.add(other));
}

TEST_CASE("A pack cut anywhere is refused, one with a bit changed is refused or read", "[record]") {
  FramePacker packer({.whole_bytes = 40, .sample = 4});
  Frame large;
  large.outputs = {{"large", make_full({40}, 1, DType::f32)}};
  REQUIRE(packer.add(forward_frame()));
  REQUIRE(packer.add(backward_frame(some_rows())));
  REQUIRE(packer.add(large));
  const Bytes bytes = packed(packer);
  std::vector<KeptFrame> frames;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    INFO("cut after " << size);
    REQUIRE_FALSE(unpack(std::span(bytes).first(size), frames));
  }
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    Bytes changed = bytes;
    changed[bit / 8] = static_cast<std::uint8_t>(changed[bit / 8] ^ 1u << bit % 8);
    refused += !unpack(changed, frames);
    for (const KeptFrame& kept : frames) kept.frame.hash();  // whatever was read can be looked at
  }
  CHECK(refused > 0);
}

TEST_CASE("A pack that promises more than there is costs no memory", "[record]") {
  for (int lies = 0; lies < 3; ++lies) {
    ByteWriter out;
    for (int i = 0; i < lies; ++i) out.number(0);
    out.number(~std::uint64_t{0});
    std::vector<KeptFrame> frames;
    CHECK_FALSE(unpack(out.bytes(), frames));
    CHECK(frames.capacity() == 0);
  }
}

TEST_CASE("A long name that every item of a pack has is refused before it is copied", "[record]") {
  Frame frame;
  const std::string name(1 << 20, 'a');
  for (int i = 0; i < 60; ++i) frame.inputs.push_back({name, {}});
  FramePacker packer;
  REQUIRE(packer.add(frame));
  // A second frame of that kind would take more: it begins another pack.
  CHECK_FALSE(packer.add(frame));
  Bytes bytes = packed(packer);
  CHECK(bytes.size() < 2 * name.size());
  std::vector<KeptFrame> frames;
  REQUIRE(unpack(bytes, frames));
  CHECK(frames.at(0).frame.inputs.size() == 60);

  // By a writer that knows no such limit: 60 items become 100, of two bytes each.
  const std::vector<std::uint8_t> sixty(2 * 60, 0);
  packer.clear();
  frame.inputs.assign(60, {});
  REQUIRE(packer.add(frame));
  bytes = packed(packer);
  ByteWriter bomb;
  bomb.number(1);
  bomb.text(name);
  // Behind the one empty text.
  const auto list = std::search(bytes.begin(), bytes.end(), sixty.begin(), sixty.end());
  REQUIRE(list != bytes.end());
  bomb.raw(bytes.data() + 2, static_cast<std::size_t>(list - bytes.begin()) - 3);
  bomb.number(100);
  for (int i = 0; i < 200; ++i) bomb.u8(0);
  bomb.raw(&*list + 120, static_cast<std::size_t>(bytes.end() - list) - 120);
  CHECK_FALSE(unpack(bomb.bytes(), frames));
}

// A pack of two texts, no tensor and one frame, whose every reference is 1 or, to a tensor, none.
TEST_CASE("References of a frame to texts and tensors that the pack lacks are refused", "[record]") {
  enum Place { op, file, function, scope, text, name, tensor, places };
  const auto read = [](Place changed, std::uint64_t to) {
    const auto value = [&](Place place, std::uint64_t usual) { return place == changed ? to : usual; };
    ByteWriter out;
    out.number(2);
    out.text("");
    out.text("Relu");
    out.number(0);  // tensors
    out.number(1);  // frames
    out.u64(0);     // hash
    out.number(3);  // cursor
    out.number(0);
    out.u8(0);
    out.number(value(op, 1));
    out.number(40);  // output
    out.number(value(file, 1));
    out.number(value(function, 1));
    out.number(12);  // line
    out.number(1);   // scopes
    out.number(value(scope, 1));
    for (std::size_t i = 0; i < std::size(Attrs().f); ++i) out.f64(0);
    out.number(value(text, 1));
    for (int i = 0; i < 3; ++i) out.number(0);  // flags, object, ints
    out.number(1);                              // inputs
    out.number(value(name, 1));
    out.number(value(tensor, 0));
    for (int list = 1; list < 5; ++list) out.number(0);
    std::vector<KeptFrame> frames;
    const bool read = unpack(out.bytes(), frames);
    if (read) CHECK(frames.at(0).frame.inputs.size() == 1);
    return read;
  };
  for (int place = 0; place < places; ++place) {
    for (std::uint64_t to = 0; to < 200; ++to) {
      INFO("reference " << place << " to " << to);
      CHECK(read(static_cast<Place>(place), to) == (place == tensor ? to == 0 : to < 2));
    }
  }
}
