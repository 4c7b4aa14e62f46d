// Which of the bottom panels stand elsewhere than at their tab: one beside the graph, one beside the panel
// whose tab is open.
#pragma once
#include <string>
#include <string_view>

namespace tapescope::ui {

class Panel;
class Workbench;

// Of Settings::beside_graph, besides the id of a panel.
inline constexpr std::string_view kSourceOfOwn = "own", kNothingBesideGraph = "off";

// Their ids; empty where there is none, or no room.
struct Arrangement {
  std::string beside_graph, beside_tab;
  bool has(std::string_view panel) const {
    return !panel.empty() && (panel == beside_graph || panel == beside_tab);
  }
};

// What would stand there if there is room; null for nothing. A panel whose tab is open stays there.
Panel* wanted_beside_graph(const Workbench& w);
Panel* wanted_beside_tab(const Workbench& w);

}  // namespace tapescope::ui
