// Collects items as they are drawn; a frame's items replace the last frame's.
#include "viewer/ui/ui_map.h"

namespace tapescope::ui {

void UiMap::begin_frame() {
  ++frame_;
  items_.clear();
  index_.clear();
  duplicates_.clear();
}

void UiMap::item(std::string_view id, std::string_view label, bool enabled) {
  rect(id, label, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), enabled);
}

void UiMap::rect(std::string_view id, std::string_view label, ImVec2 min, ImVec2 max, bool enabled) {
  const auto [place, fresh] = index_.try_emplace(std::string(id), items_.size());
  if (!fresh) {
    duplicates_.push_back(place->first);
    return;
  }
  items_.push_back({place->first, std::string(label), min.x, min.y, max.x - min.x, max.y - min.y, enabled});
}

void UiMap::has_tooltip(std::string_view id) { tooltips_[std::string(id)] = true; }

const UiItem* UiMap::find(std::string_view id) const {
  const auto place = index_.find(id);
  return place == index_.end() ? nullptr : &items_[place->second];
}

bool UiMap::tooltip_of(std::string_view id) const { return tooltips_.find(id) != tooltips_.end(); }

}  // namespace tapescope::ui
