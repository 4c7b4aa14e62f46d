// The JSON that scripts and the UI map write: fields are those of design/interfaces.md.
#pragma once
#include <string>

#include "viewer/window/workbench.h"

namespace tapescope::ui {

// What the panels show; of refresh()'s state.
std::string state_json(const Workbench& workbench);
// The last frame's items.
std::string ui_map_json(const Workbench& workbench);
// "op 17", "source w", "alert 0", "none"
std::string selection_text(const Selection& selection);

}  // namespace tapescope::ui
