// The settings and the state that say where a panel stands.
#include "viewer/window/arrangement.h"

#include "viewer/window/chrome.h"

namespace tapescope::ui {
namespace {

bool drawer_open(const Workbench& w) { return !w.state.drawer_closed; }

Panel* bottom_panel(const Workbench& w, std::string_view id) {
  Panel* const panel = w.panel(id);
  return panel != nullptr && panel->place() == Place::bottom ? panel : nullptr;
}

}  // namespace

Panel* wanted_beside_graph(const Workbench& w) {
  // A comparison has two graphs there.
  if (w.welcome || w.b != nullptr || w.settings.beside_graph == kNothingBesideGraph) return nullptr;
  const bool own = w.settings.beside_graph == kSourceOfOwn;
  if (own && (shows_sample(w) || w.a == nullptr)) return nullptr;
  const std::string_view id = own ? std::string_view("source") : std::string_view(w.settings.beside_graph);
  if (drawer_open(w) && (id == w.state.bottom_tab || id == w.state.second_tab)) return nullptr;
  return bottom_panel(w, id);
}

Panel* wanted_beside_tab(const Workbench& w) {
  if (w.welcome || !drawer_open(w) || w.state.second_tab == w.state.bottom_tab) return nullptr;
  return bottom_panel(w, w.state.second_tab);
}

}  // namespace tapescope::ui
