// Headless frames at 60 a second, whatever the clock says.
#include "tests/gui/driver.h"

#include <imgui_internal.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "tests/support/catch.h"
#include "viewer/ui/imgui_compat.h"
#include "viewer/window/state_json.h"

namespace tapescope::ui {
namespace {
constexpr std::size_t kMostVertices = 2'000'000;  // far beyond any screen; a runaway loop passes it
// Frames, a millisecond apart at least, and not seconds: a machine that stands still has not let the program
// go on either.
constexpr int kMostWaiting = 20'000;
}  // namespace

UiDriver::UiDriver(Settings settings) : context_(ImGui::CreateContext()) {
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // lists of more than 65,536 vertices
  compat::prepare_headless(io);
  bench = std::make_unique<Workbench>(std::move(settings), window, [] {});
  bench->fonts_wanted = true;
}

UiDriver::~UiDriver() {
  bench.reset();
  ImGui::DestroyContext(context_);
}

void UiDriver::frame(int count) {
  for (int i = 0; i < count; ++i) one_frame(1.0 / 60);
}

void UiDriver::rest() {
  one_frame(1);
  frame(2);
}

void UiDriver::one_frame(double seconds) {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = window.size;
  io.DeltaTime = static_cast<float>(seconds);
  time_ += seconds;
  if (bench->fonts_wanted) {
    bench->set_fonts(bake(bench->state.scale), 1);
    io.Fonts->SetTexID(nullptr);
  }
  bench->refresh();
  input.apply(io, *bench);
  ImGui::NewFrame();
  bench->draw(io.DisplaySize, time_);
  check_frame();
  ImGui::Render();
  std::size_t vertices = 0;
  const ImDrawData* data = ImGui::GetDrawData();
  for (int list = 0; list < data->CmdListsCount; ++list) {
    bool nan = false;
    for (const ImDrawVert& v : data->CmdLists[list]->VtxBuffer)
      nan |= !std::isfinite(v.pos.x) || !std::isfinite(v.pos.y);
    const char* const window = data->CmdLists[list]->_OwnerName;
    if (nan)
      complaints.push_back(std::string("a vertex is not finite in ") + (window != nullptr ? window : "?"));
    vertices += static_cast<std::size_t>(data->CmdLists[list]->VtxBuffer.Size);
  }
  if (vertices > kMostVertices)
    complaints.push_back("the frame has " + std::to_string(vertices) + " vertices");
}

void UiDriver::check_frame() {
  const ImGuiContext& g = *context_;
  if (g.CurrentWindowStack.Size != 1) complaints.push_back("a window was not ended");
  if (g.CurrentWindow->IDStack.Size != 1) complaints.push_back("the id stack is not balanced");
  if (g.ColorStack.Size != 0) complaints.push_back("a style colour was not popped");
  if (g.StyleVarStack.Size != 0) complaints.push_back("a style variable was not popped");
  if (g.FontStack.Size > 1) complaints.push_back("a font was not popped");
  for (const std::string& id : bench->map.duplicates()) complaints.push_back("two items are called " + id);
  for (const UiItem& item : bench->map.items()) {
    if (!std::isfinite(item.x + item.y + item.w + item.h)) complaints.push_back(item.id + " has no place");
  }
}

void UiDriver::click(std::string_view id) {
  const UiItem* item = bench->map.find(id);
  if (item == nullptr) {
    frame(2);
    item = bench->map.find(id);
  }
  if (item == nullptr) {
    complaints.push_back("nothing on the screen is called " + std::string(id));
    return;
  }
  input.click({item->x + item->w / 2, item->y + item->h / 2});
  settle();
}

void UiDriver::key(std::string_view chord) {
  input.key(parse_chord(chord).value());
  settle();
}

void UiDriver::type(std::string text) {
  input.text(std::move(text));
  settle();
}

std::string UiDriver::run(std::string_view line) {
  const std::string wrong = bench->execute(line);
  frame();
  return wrong;
}

bool UiDriver::settle() {
  while (!input.empty()) frame();
  frame(2);
  int waited = 0;
  const auto wait = [&] {
    while (!bench->debuggee.at_rest() || !bench->panels_caught_up()) {
      if (++waited > kMostWaiting) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      one_frame(waiting_s);
    }
    return true;
  };
  if (!wait()) return false;
  bench->debuggee.flush();
  frame(2);
  // What was searched only once all events were there.
  if (!wait()) return false;
  frame(2);
  return true;
}

nlohmann::json state_of(const UiDriver& ui) { return nlohmann::json::parse(state_json(*ui.bench)); }

void check_clean(const UiDriver& ui) {
  for (const std::string& complaint : ui.complaints) FAIL_CHECK(complaint);
}

}  // namespace tapescope::ui
