// The only place that knows how Dear ImGui 1.86 and 1.90 differ.
#pragma once
#include "imgui.h"
#include "viewer/ui/keys.h"

namespace tapescope::ui::compat {

// Rasterizes the fonts that were added; the renderer's texture is made again afterwards.
void build_atlas(ImFontAtlas& atlas);
// Drops the renderer's copy of the atlas; the next frame makes one from the atlas as it is then.
void renew_font_texture();

// Without a window there is no backend to say which key is which; called once after the context was made.
void prepare_headless(ImGuiIO& io);

// Input that did not come from the backend. Call between the backend's new frame and ImGui's.
void set_key(ImGuiIO& io, const Chord& chord, bool down);
void set_mouse(ImGuiIO& io, ImVec2 position);
void set_button(ImGuiIO& io, int button, bool down);
void add_wheel(ImGuiIO& io, float amount);

// Several clicks in the time of one frame come one after the other, each where it was made. 1.86 has the last
// state alone.
inline constexpr bool kMouseInOrder = IMGUI_VERSION_NUM >= 18700;

// 1.86 sees keys as they stand when a frame begins: one that was pressed and let go again since would be
// missed, and of several the order is lost. press_key holds one down for this frame with its modifiers, true
// where the version needs that; release_key gives it the state it has, `down`, in the next one; withhold_key
// hides one whose turn comes later.
bool press_key(ImGuiIO& io, const Chord& chord);
void release_key(ImGuiIO& io, const Chord& chord, bool down);
void withhold_key(ImGuiIO& io, const Chord& chord);

// Whether a menu or list is open; closing them all. ImGui itself does so only with its keyboard navigation
// on.
bool popup_open();
void close_popups();

// ImGui needs another frame: input waits in its queue, or a window that opened is not shown yet. At the end
// of a frame.
bool unsettled();

// Lets items that are submitted later lie on top of the last one.
void allow_overlap();

}  // namespace tapescope::ui::compat
