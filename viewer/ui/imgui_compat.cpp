// 1.86 takes keys as entries of io.KeysDown[] under GLFW's numbers; from 1.87 on they are events of named
// keys.
#include "viewer/ui/imgui_compat.h"

#include <GLFW/glfw3.h>

#include <algorithm>

#include "backends/imgui_impl_opengl3.h"
#include "imgui_internal.h"

namespace tapescope::ui::compat {
namespace {

#if IMGUI_VERSION_NUM < 18700
using Code = int;
constexpr Code kNoCode = -1;
#define TAPESCOPE_KEY(imgui, glfw) glfw
#else
using Code = ImGuiKey;
constexpr Code kNoCode = ImGuiKey_None;
#define TAPESCOPE_KEY(imgui, glfw) imgui
#endif

// Only keys that ImGui's own widgets act on, letters of Ctrl+A and the like included.
Code code_of(Key key) {
  switch (key) {
    case Key::home: return TAPESCOPE_KEY(ImGuiKey_Home, GLFW_KEY_HOME);
    case Key::end: return TAPESCOPE_KEY(ImGuiKey_End, GLFW_KEY_END);
    case Key::left: return TAPESCOPE_KEY(ImGuiKey_LeftArrow, GLFW_KEY_LEFT);
    case Key::right: return TAPESCOPE_KEY(ImGuiKey_RightArrow, GLFW_KEY_RIGHT);
    case Key::up: return TAPESCOPE_KEY(ImGuiKey_UpArrow, GLFW_KEY_UP);
    case Key::down: return TAPESCOPE_KEY(ImGuiKey_DownArrow, GLFW_KEY_DOWN);
    case Key::page_up: return TAPESCOPE_KEY(ImGuiKey_PageUp, GLFW_KEY_PAGE_UP);
    case Key::page_down: return TAPESCOPE_KEY(ImGuiKey_PageDown, GLFW_KEY_PAGE_DOWN);
    case Key::escape: return TAPESCOPE_KEY(ImGuiKey_Escape, GLFW_KEY_ESCAPE);
    case Key::enter: return TAPESCOPE_KEY(ImGuiKey_Enter, GLFW_KEY_ENTER);
    case Key::tab: return TAPESCOPE_KEY(ImGuiKey_Tab, GLFW_KEY_TAB);
    case Key::space: return TAPESCOPE_KEY(ImGuiKey_Space, GLFW_KEY_SPACE);
    case Key::backspace: return TAPESCOPE_KEY(ImGuiKey_Backspace, GLFW_KEY_BACKSPACE);
    case Key::del: return TAPESCOPE_KEY(ImGuiKey_Delete, GLFW_KEY_DELETE);
    case Key::insert: return TAPESCOPE_KEY(ImGuiKey_Insert, GLFW_KEY_INSERT);
    case Key::a: return TAPESCOPE_KEY(ImGuiKey_A, GLFW_KEY_A);
    case Key::c: return TAPESCOPE_KEY(ImGuiKey_C, GLFW_KEY_C);
    case Key::v: return TAPESCOPE_KEY(ImGuiKey_V, GLFW_KEY_V);
    case Key::x: return TAPESCOPE_KEY(ImGuiKey_X, GLFW_KEY_X);
    case Key::y: return TAPESCOPE_KEY(ImGuiKey_Y, GLFW_KEY_Y);
    case Key::z: return TAPESCOPE_KEY(ImGuiKey_Z, GLFW_KEY_Z);
    default: return kNoCode;
  }
}

#undef TAPESCOPE_KEY

}  // namespace

void build_atlas(ImFontAtlas& atlas) {
  unsigned char* pixels = nullptr;
  int width = 0, height = 0;
  // The texture comes in the form the renderer asks for, so that this work is done once.
  atlas.GetTexDataAsRGBA32(&pixels, &width, &height);
}

void renew_font_texture() {
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
}

bool popup_open() { return ImGui::GetCurrentContext()->OpenPopupStack.Size > 0; }
void close_popups() {
  if (popup_open()) ImGui::ClosePopupToLevel(0, true);
}

bool unsettled() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
#if IMGUI_VERSION_NUM >= 18700
  if (g.InputEventsQueue.Size > 0) return true;
#endif
  return std::any_of(g.Windows.begin(), g.Windows.end(), [](const ImGuiWindow* window) {
    // A region that is scrolled out of sight skips its items for as long as it is.
    const bool region = (window->Flags & ImGuiWindowFlags_ChildWindow) != 0;
    return window->Active && (window->HiddenFramesCannotSkipItems > 0 ||
                              (window->HiddenFramesCanSkipItems > 0 && !region));
  });
}

#if IMGUI_VERSION_NUM < 18700

void prepare_headless(ImGuiIO& io) {
  const auto map = [&io](int key, Key ours) { io.KeyMap[key] = code_of(ours); };
  map(ImGuiKey_Tab, Key::tab);
  map(ImGuiKey_LeftArrow, Key::left);
  map(ImGuiKey_RightArrow, Key::right);
  map(ImGuiKey_UpArrow, Key::up);
  map(ImGuiKey_DownArrow, Key::down);
  map(ImGuiKey_PageUp, Key::page_up);
  map(ImGuiKey_PageDown, Key::page_down);
  map(ImGuiKey_Home, Key::home);
  map(ImGuiKey_End, Key::end);
  map(ImGuiKey_Insert, Key::insert);
  map(ImGuiKey_Delete, Key::del);
  map(ImGuiKey_Backspace, Key::backspace);
  map(ImGuiKey_Space, Key::space);
  map(ImGuiKey_Enter, Key::enter);
  map(ImGuiKey_Escape, Key::escape);
  map(ImGuiKey_A, Key::a);
  map(ImGuiKey_C, Key::c);
  map(ImGuiKey_V, Key::v);
  map(ImGuiKey_X, Key::x);
  map(ImGuiKey_Y, Key::y);
  map(ImGuiKey_Z, Key::z);
}

void set_key(ImGuiIO& io, const Chord& chord, bool down) {
  io.KeyCtrl = down && chord.ctrl;
  io.KeyShift = down && chord.shift;
  io.KeyAlt = down && chord.alt;
  const Code code = code_of(chord.key);
  if (code != kNoCode) io.KeysDown[code] = down;
}

bool press_key(ImGuiIO& io, const Chord& chord) {
  const Code code = code_of(chord.key);
  if (code == kNoCode) return false;
  set_key(io, chord, true);
  io.KeysDownDuration[code] = -1;  // it goes down now, even where it was down in the last frame
  return true;
}

void release_key(ImGuiIO& io, const Chord& chord, bool down) {
  const Code code = code_of(chord.key);
  if (code != kNoCode) io.KeysDown[code] = down;
  io.KeyCtrl = io.KeysDown[GLFW_KEY_LEFT_CONTROL] || io.KeysDown[GLFW_KEY_RIGHT_CONTROL];
  io.KeyShift = io.KeysDown[GLFW_KEY_LEFT_SHIFT] || io.KeysDown[GLFW_KEY_RIGHT_SHIFT];
  io.KeyAlt = io.KeysDown[GLFW_KEY_LEFT_ALT] || io.KeysDown[GLFW_KEY_RIGHT_ALT];
}

void withhold_key(ImGuiIO& io, const Chord& chord) {
  const Code code = code_of(chord.key);
  if (code != kNoCode) io.KeysDown[code] = false;
}

void set_mouse(ImGuiIO& io, ImVec2 position) { io.MousePos = position; }
void set_button(ImGuiIO& io, int button, bool down) { io.MouseDown[button] = down; }
void add_wheel(ImGuiIO& io, float amount) { io.MouseWheel += amount; }
void allow_overlap() { ImGui::SetItemAllowOverlap(); }

#else

void prepare_headless(ImGuiIO&) {}

void set_key(ImGuiIO& io, const Chord& chord, bool down) {
  io.AddKeyEvent(ImGuiMod_Ctrl, down && chord.ctrl);
  io.AddKeyEvent(ImGuiMod_Shift, down && chord.shift);
  io.AddKeyEvent(ImGuiMod_Alt, down && chord.alt);
  const Code code = code_of(chord.key);
  if (code != kNoCode) io.AddKeyEvent(code, down);
}

// Events queue up from 1.87 on: none is missed.
bool press_key(ImGuiIO&, const Chord&) { return false; }
void release_key(ImGuiIO&, const Chord&, bool) {}
void withhold_key(ImGuiIO&, const Chord&) {}

void set_mouse(ImGuiIO& io, ImVec2 position) { io.AddMousePosEvent(position.x, position.y); }
void set_button(ImGuiIO& io, int button, bool down) { io.AddMouseButtonEvent(button, down); }
void add_wheel(ImGuiIO& io, float amount) { io.AddMouseWheelEvent(0, amount); }
// Items that follow win the pointer when the flag is set before the first one; old callers set it after.
void allow_overlap() {}

#endif

}  // namespace tapescope::ui::compat
