// Fit, focus and follow.
#include "viewer/panels/graph_camera.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tapescope::ui {
namespace {
constexpr double kMotion = 0.15;  // seconds; the house allows 0.2
constexpr float kMargin = 26;     // pixels around a fitted graph
constexpr float kHeading = 26;    // of them column names take these at the top
constexpr float kReadable =
    0.62f;  // of the mock's size: a graph that is taller is first seen from its top, not whole
constexpr float kLeastFirst = 0.5f,
                kMostFirst = 0.8f;  // of the mock's size: how small and how large such a view is

// What lies between the top and `bottom`, from left to right.
std::pair<float, float> extent_above(const layout::Layout& layout, float bottom) {
  float left = layout::kAxis, right = layout::kAxis;
  for (const layout::Box& box : layout.boxes) {
    if (box.y >= bottom) continue;
    left = std::min(left, box.x), right = std::max(right, box.x + box.w);
  }
  return {left, right};
}
}  // namespace

GraphCamera::Place GraphCamera::fitted(const layout::Layout& layout, ImVec2 canvas, float scale,
                                       bool from_top) {
  const float margin = kMargin * scale, head = kHeading * scale;
  const float width = std::max(1.0f, canvas.x - 2 * margin),
              height = std::max(1.0f, canvas.y - 2 * margin - head);
  const float full = kFullZoom * scale;
  const float by_width = width / std::max(1.0f, layout.width),
              by_height = height / std::max(1.0f, layout.height);
  Place place;
  place.zoom = std::clamp(std::min(by_width, by_height), 0.004f * scale, full);
  place.x = layout.left + layout.width / 2;
  place.y = layout.top + layout.height / 2 - head / 2 / place.zoom;
  if (from_top && place.zoom < kReadable * full) {
    // What comes further down may be wider: it is not in the way.
    const auto [left, right] = extent_above(layout, layout.top + height / (kLeastFirst * full));
    place.zoom = std::clamp(width / std::max(1.0f, right - left), kLeastFirst * full, kMostFirst * full);
    place.y = layout.top + (canvas.y / 2 - margin - head) / place.zoom;
    place.x = (left + right) / 2;
    // Where not all fits, the axis between forward and backward is as near to the middle as it can be without
    // empty room at a side.
    const float half = width / 2 / place.zoom;
    if (right - left > 2 * half) place.x = std::clamp(layout::kAxis, left + half, right - half);
  }
  return place;
}

bool GraphCamera::in_view(const Place& place, const layout::Box& box, ImVec2 canvas, float scale) {
  const float dx = canvas.x / 2 / place.zoom, dy = canvas.y / 2 / place.zoom,
              head = kHeading * scale / place.zoom;
  return box.x >= place.x - dx && box.x + box.w <= place.x + dx && box.y >= place.y - dy + head &&
         box.y + box.h <= place.y + dy;
}

void GraphCamera::go(AppState& state, Place to, bool at_once, double time) {
  if (at_once || state.reduce_motion) {
    state.camera.x = to.x, state.camera.y = to.y, state.camera.zoom = to.zoom;
    moving_ = false;
  } else {
    from_ = {state.camera.x, state.camera.y, state.camera.zoom};
    to_ = to;
    since_ = time;
    moving_ = true;
  }
}

bool GraphCamera::update(AppState& state, const GraphPicture& picture, ImVec2 canvas, float scale,
                         double time, std::uint32_t selected, std::uint32_t now) {
  Camera& camera = state.camera;
  const layout::Layout& layout = picture.layout;
  if (!(camera.zoom > 0) || !std::isfinite(camera.x) || !std::isfinite(camera.y)) camera = {};
  // The zoom is in pixels: the picture grows with everything else, and what was fitted is fitted again.
  const float grown = scale_ > 0 ? scale / scale_ : 1;
  scale_ = scale;
  if (grown != 1) {
    for (float* zoom : {&camera.zoom, &last_.zoom, &from_.zoom, &to_.zoom}) *zoom *= grown;
  }
  // Keys and commands write the camera too: then it is the user's.
  if (camera.wish == Camera::Wish::none &&
      (camera.x != last_.x || camera.y != last_.y || camera.zoom != last_.zoom))
    taken_over();
  const auto wish = std::exchange(camera.wish, Camera::Wish::none);
  const float readable = kReadable * kFullZoom * scale;
  const auto sees = [&](std::uint32_t index) {
    const Place here{camera.x, camera.y, camera.zoom};
    return here.zoom >= readable && in_view(here, layout.boxes[index], canvas, scale);
  };
  const auto centre = [&](std::uint32_t index) {
    const Place here{camera.x, camera.y, camera.zoom};
    const layout::Box& box = layout.boxes[index];
    const float zoom = here.zoom >= readable ? here.zoom : 0.9f * kFullZoom * scale;
    go(state, {box.x + box.w / 2, box.y + box.h / 2, zoom}, false, time);
    automatic_ = false;
  };
  if (wish == Camera::Wish::fit) {
    automatic_ = true;
    const bool start = std::exchange(first_, false);
    from_top_ = start;
    go(state, fitted(layout, canvas, scale, from_top_), start, time);
    fitted_canvas_ = canvas, fitted_signature_ = layout.signature;
  } else if (automatic_ && (grown != 1 || canvas.x != fitted_canvas_.x || canvas.y != fitted_canvas_.y ||
                            layout.signature != fitted_signature_)) {
    Place place = fitted(layout, canvas, scale, from_top_);
    // The canvas became smaller than the graph: the cursor stays in sight.
    if (now != layout::kNone && !in_view(place, layout.boxes[now], canvas, scale)) {
      place.y = layout.boxes[now].y + layout.boxes[now].h / 2 - kHeading * scale / 2 / place.zoom;
    }
    go(state, place, true, time);
    fitted_canvas_ = canvas, fitted_signature_ = layout.signature;
  }
  // A graph that is new was fitted first: where it stood before says nothing of what is in sight.
  if (wish == Camera::Wish::focus_selection && selected != layout::kNone && !(automatic_ && sees(selected)))
    centre(selected);
  if (wish == Camera::Wish::follow_cursor && now != layout::kNone && !sees(now)) centre(now);
  if (now != followed_) {
    followed_ = now;
    // Stepping out of sight brings the cursor back, without a change of zoom.
    const Place target = moving_ ? to_ : Place{camera.x, camera.y, camera.zoom};
    if (now != layout::kNone && !in_view(target, layout.boxes[now], canvas, scale)) {
      const layout::Box& box = layout.boxes[now];
      const bool sideways = layout.width * target.zoom < canvas.x;
      go(state, {sideways ? target.x : box.x + box.w / 2, box.y + box.h / 2, target.zoom}, false, time);
      automatic_ = false;
    }
  }
  if (moving_) {
    const double t = std::clamp((time - since_) / kMotion, 0.0, 1.0);
    const auto ease = static_cast<float>(1 - (1 - t) * (1 - t) * (1 - t));
    camera.x = from_.x + (to_.x - from_.x) * ease;
    camera.y = from_.y + (to_.y - from_.y) * ease;
    camera.zoom = from_.zoom * std::pow(to_.zoom / from_.zoom, ease);
    if (t >= 1) {
      camera.x = to_.x, camera.y = to_.y, camera.zoom = to_.zoom;
      moving_ = false;
    }
  }
  last_ = {camera.x, camera.y, camera.zoom};
  return moving_;
}

void GraphCamera::keep_in_place(AppState& state, const layout::Box& before, const layout::Box& after) {
  state.camera.x += after.x + after.w / 2 - before.x - before.w / 2;
  state.camera.y += after.y + after.h / 2 - before.y - before.h / 2;
}

}  // namespace tapescope::ui
