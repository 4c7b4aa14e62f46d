// What the graph shows at first: all of it, or a tall one from its top.
#include "viewer/panels/graph_camera.h"

#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::ui;
using layout::kAxis;

namespace {

const ImVec2 kCanvas{900, 600};

layout::Box box(float x, float y) {
  layout::Box box;
  box.x = x, box.y = y, box.w = layout::kBoxWidth, box.h = layout::kBoxHeight;
  return box;
}

// A hundred rows of forward and backward ops between variables and gradients, and what stands beside them.
GraphPicture tall(const std::vector<layout::Box>& beside = {}) {
  GraphPicture picture;
  layout::Layout& layout = picture.layout;
  for (int row = 0; row < 100; ++row) {
    const float y = layout::kRowPitch * static_cast<float>(row);
    for (const float x : {0.f, layout::kForwardX, layout::kBackwardX, layout::kGradientX})
      layout.boxes.push_back(box(x, y));
  }
  layout.boxes.insert(layout.boxes.end(), beside.begin(), beside.end());
  float right = 0;
  for (const layout::Box& each : layout.boxes) {
    layout.left = std::min(layout.left, each.x), right = std::max(right, each.x + each.w);
    layout.height = std::max(layout.height, each.y + each.h);
  }
  layout.width = right - layout.left;
  layout.signature = 1;
  return picture;
}

struct Shown {
  float left, right, top, zoom;
};

Shown first_view(const GraphPicture& picture) {
  AppState state;
  state.camera.wish = Camera::Wish::fit;
  GraphCamera camera;
  camera.update(state, picture, kCanvas, 1, 0, layout::kNone, layout::kNone);
  const Camera& at = state.camera;
  return {at.x - kCanvas.x / 2 / at.zoom, at.x + kCanvas.x / 2 / at.zoom, at.y - kCanvas.y / 2 / at.zoom,
          at.zoom};
}

}  // namespace

TEST_CASE("a tall graph is seen from its top, all of its width") {
  const GraphPicture picture = tall();
  const Shown view = first_view(picture);
  CHECK(view.left < 0);
  CHECK(view.right > picture.layout.width);
  CHECK(view.top < 0);
  CHECK(view.top > -layout::kRowPitch * 2);
}

TEST_CASE("what stands beside a tall graph further down does not make its first view smaller") {
  const Shown alone = first_view(tall());
  const Shown view = first_view(tall({box(-3000, 90 * layout::kRowPitch)}));
  CHECK(view.zoom == alone.zoom);
  CHECK(view.left == alone.left);
}

TEST_CASE("where not all of the top fits, no side of the first view is empty") {
  std::vector<layout::Box> chain;
  for (int i = 1; i < 20; ++i) chain.push_back(box(-200.f * static_cast<float>(i), layout::kRowPitch));
  const GraphPicture picture = tall(chain);
  const float right = picture.layout.left + picture.layout.width;
  const Shown view = first_view(picture);
  CHECK(view.left < 0);
  CHECK(view.right > right);
  CHECK(view.right < right + 80);
  // The axis stays in the middle where both sides go on.
  for (int i = 1; i < 20; ++i) chain.push_back(box(right + 200.f * static_cast<float>(i), layout::kRowPitch));
  const Shown middle = first_view(tall(chain));
  CHECK((middle.left + middle.right) / 2 == Approx(kAxis));
}

TEST_CASE("a new scale fits again what was fitted, and enlarges what the user chose") {
  const GraphPicture picture = tall();
  const auto at_scale = [&](AppState& state, GraphCamera& camera, float scale) {
    camera.update(state, picture, kCanvas, scale, 0, layout::kNone, layout::kNone);
  };
  AppState state;
  state.camera.wish = Camera::Wish::fit;
  GraphCamera camera;
  at_scale(state, camera, 1);
  at_scale(state, camera, 2);
  AppState fresh;
  fresh.camera.wish = Camera::Wish::fit;
  GraphCamera other;
  at_scale(fresh, other, 2);
  CHECK(state.camera.x == fresh.camera.x);
  CHECK(state.camera.y == fresh.camera.y);
  CHECK(state.camera.zoom == fresh.camera.zoom);
  state.camera.zoom = 3, state.camera.x = 100;
  at_scale(state, camera, 2);
  at_scale(state, camera, 1);
  CHECK(state.camera.zoom == 1.5f);
  CHECK(state.camera.x == 100);
}
