// The parts of the window that are not panels: menu, toolbar, programs, tabs, status bar, first screen,
// palette, help.
#pragma once
#include "viewer/window/regions.h"
#include "viewer/window/workbench.h"

namespace tapescope::ui {

// Everything; called once a frame between ImGui's NewFrame and Render.
void draw_window(Workbench& w, ImVec2 size);

void draw_menu_bar(Workbench& w, PanelContext& c, const Rect& at);
void draw_toolbar(Workbench& w, PanelContext& c, const Rect& at);
// The switch between several open programs.
void draw_programs(Workbench& w, PanelContext& c, const Rect& at);
// The whole run above all panels: step times, loss, alerts; a click goes to a step, dragging chooses some.
void draw_run_strip(Workbench& w, PanelContext& c, const Rect& at);
// The tabs of the bottom strip; what the open panel adds stands at the right.
void draw_tabs(Workbench& w, PanelContext& c, const std::vector<Panel*>& panels, const Rect& at);
// Words at the right end of `rest` that put on the clipboard what a bottom panel shows, for its tab or its
// header; their ids begin with `prefix`. Returns the width they take, 0 where there is no room.
float draw_copies(PanelContext& c, const Panel& panel, const std::string& prefix, const Rect& rest);
void draw_status_bar(Workbench& w, PanelContext& c, const Rect& at);
void draw_welcome(Workbench& w, PanelContext& c, const Rect& at);
// Launch, Attach and Open, at the head of the first screen. Returns their height.
// On a screen of that height; returns theirs.
float draw_start_cards(Workbench& w, PanelContext& c, ImVec2 at, float width, float screen);
void draw_palette(Workbench& w, PanelContext& c, ImVec2 window);
void draw_key_help(Workbench& w, PanelContext& c, ImVec2 window);

// Keys of the first screen: Enter runs the chosen sample, arrows choose. True when it took the key.
bool welcome_key(Workbench& w, const Chord& chord);

// Whether what is chosen is one of the samples, not a program of the user's.
bool shows_sample(const Workbench& w);
// "Paused at op 19 of 31, backward · MatMul · mnist_mlp.cpp:41"
std::string status_sentence(const Workbench& w);
// The colour of the edge beside it.
Color status_color(const Workbench& w);
// "op 19 of 31, backward"; what the toolbar says about the cursor.
std::string cursor_text(const Workbench& w);
// Of a place inside of an op, or between two, where a backward pass begins.
std::string place_in_step(const Frame& frame, std::uint64_t op, std::uint64_t count);
std::string step_text(const Workbench& w);  // "step 132 / 500"
std::string loss_text(const Workbench& w);  // "loss 0.2841", empty without one

// What matches, best first, and how well; -1 for no match. Letters of `pattern` have to occur in order.
int fuzzy_score(std::string_view pattern, std::string_view text);

// A child region without padding or border, with its own id.
class Region {
 public:
  Region(const char* id, const Rect& at, ImU32 background, int flags = 0);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
};

}  // namespace tapescope::ui
