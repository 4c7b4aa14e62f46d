// The list of panels: the one place that knows all of them.
#include "viewer/panels/advice.h"
#include "viewer/panels/alerts.h"
#include "viewer/panels/breakpoints.h"
#include "viewer/panels/compare.h"
#include "viewer/panels/differs.h"
#include "viewer/panels/flame.h"
#include "viewer/panels/functions.h"
#include "viewer/panels/gradients.h"
#include "viewer/panels/graph.h"
#include "viewer/panels/inspector.h"
#include "viewer/panels/jobs.h"
#include "viewer/panels/loss.h"
#include "viewer/panels/memory.h"
#include "viewer/panels/ops.h"
#include "viewer/panels/outline.h"
#include "viewer/panels/source.h"
#include "viewer/panels/timeline.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

std::uint64_t PanelContext::step_shown(std::uint64_t step, int program) const {
  const Snapshot* of = program == 1 && b != nullptr ? b : a;
  return of != nullptr ? of->step_shown(step) : step;
}

// A panel whose class nothing else needs has no header: its file defines this.
std::unique_ptr<Panel> log_panel();

std::vector<std::unique_ptr<Panel>> make_panels() {
  std::vector<std::unique_ptr<Panel>> panels;
  panels.push_back(std::make_unique<AlertsPanel>());
  panels.push_back(std::make_unique<GradientsPanel>());
  panels.push_back(std::make_unique<GraphPanel>());
  panels.push_back(std::make_unique<InspectorPanel>());
  panels.push_back(std::make_unique<DiffersPanel>());
  panels.push_back(std::make_unique<TimelinePanel>());
  panels.push_back(std::make_unique<FlamePanel>());
  panels.push_back(std::make_unique<OpsPanel>());
  panels.push_back(std::make_unique<SourcePanel>());
  panels.push_back(std::make_unique<FunctionsPanel>());
  panels.push_back(std::make_unique<MemoryPanel>());
  panels.push_back(std::make_unique<LossPanel>());
  panels.push_back(std::make_unique<JobsPanel>());
  panels.push_back(std::make_unique<ComparePanel>());
  panels.push_back(std::make_unique<AdvicePanel>());
  panels.push_back(std::make_unique<OutlinePanel>());
  panels.push_back(std::make_unique<BreakpointsPanel>());
  panels.push_back(log_panel());
  return panels;
}

}  // namespace tapescope::ui
