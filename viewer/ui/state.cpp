// Undo and the back-and-forward history of what the user looked at.
#include "viewer/ui/state.h"

#include <algorithm>

namespace tapescope::ui {
namespace {
constexpr std::size_t kMostUndo = 200;  // enough for an hour's work; a view is some hundred bytes

void push_bounded(std::vector<View>& list, const View& view) {
  if (list.size() >= kMostUndo) list.erase(list.begin());
  list.push_back(view);
}
}  // namespace

void AppState::select(Selection selection) {
  if (selection == view_.selection) return;
  push_bounded(undo_, view_);
  view_.selection = selection;
  if (selection.kind == Selection::Kind::none) return;
  visited_.resize(std::min(visited_at_, visited_.size()));
  if (visited_.size() >= kMostUndo) visited_.erase(visited_.begin());
  visited_.push_back(std::move(selection));
  visited_at_ = visited_.size();
}

void AppState::set_filter(std::string filter) {
  if (filter == view_.filter) return;
  // Typing on is one change: else each letter would need its own undo.
  const bool typing_on = filter.size() > view_.filter.size() && filter.starts_with(view_.filter) &&
                         !view_.filter.empty() && !undo_.empty() &&
                         undo_.back().selection == view_.selection && undo_.back().folds == view_.folds;
  if (!typing_on) push_bounded(undo_, view_);
  view_.filter = std::move(filter);
}

void AppState::set_fold(std::uint64_t scope, bool closed) {
  const auto place = view_.folds.find(scope);
  if (place != view_.folds.end() && place->second == closed) return;
  push_bounded(undo_, view_);
  view_.folds[scope] = closed;
  ++folds_version_;
}

bool AppState::undo() {
  if (undo_.empty()) return false;
  view_ = std::move(undo_.back());
  ++folds_version_;
  undo_.pop_back();
  return true;
}

bool AppState::go_back() {
  if (!can_go_back()) return false;
  --visited_at_;
  view_.selection = visited_[visited_at_ - 1];
  return true;
}

bool AppState::go_forward() {
  if (!can_go_forward()) return false;
  view_.selection = visited_[visited_at_++];
  return true;
}

ProgramPlace AppState::place() const {
  return {view_, undo_, visited_, visited_at_, cursor, camera, health_step, chosen_steps};
}

void AppState::put_place(ProgramPlace place) {
  view_ = std::move(place.view);
  ++folds_version_;
  undo_ = std::move(place.undo);
  visited_ = std::move(place.visited);
  visited_at_ = place.visited_at;
  cursor = place.cursor;
  camera = place.camera;
  health_step = place.health_step;
  chosen_steps = place.chosen_steps;
}

}  // namespace tapescope::ui
