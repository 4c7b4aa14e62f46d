// Frames are drawn after input, after news from the program, and while something moves; else the thread
// sleeps.
#include "viewer/window/window.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <future>
#include <utility>

#include "backends/imgui_impl_glfw.h"
#include "backends/imgui_impl_opengl3.h"
#include "engine/core/error.h"
#include "viewer/ui/imgui_compat.h"
#include "viewer/ui/picture.h"
#include "viewer/window/key_queue.h"
#include "viewer/window/mouse_queue.h"
#include "viewer/window/state_json.h"
#include "viewer/window/window_keys.h"

namespace tapescope::ui {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kNewsInterval = 1.0 / 30;     // seconds between frames that only show how a run gets on
constexpr double kScriptInterval = 1.0 / 100;  // between looks at what a script waits for
constexpr double kMotionInterval = 1.0 / 60;
constexpr int kFramesAfterInput = 3;  // hover and popups need the frames after the one that saw the input
constexpr double kLongestSleep = 1;   // seconds; a message in the status bar goes away by itself

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

struct Window::State {
  GLFWwindow* window = nullptr;
  bool imgui = false, glfw_backend = false, gl_backend = false;
  Clock::time_point start = Clock::now();
  std::atomic<bool> news{true};
  int frames_due = kFramesAfterInput;
  double last_frame = -1, last_news = -1;  // when it was drawn, and when news were taken
  double frame_cost = 0;                   // seconds that drawing and showing a frame take, smoothed
  bool first_drawn = false;
  // News of what runs wait so long that drawing them leaves it nine tenths of the time: where frames are dear
  // (a software rasterizer) there are fewer. What the user does is drawn at once, and so is where a run ends.
  double until_news(bool runs) const {
    const double interval = runs ? std::clamp(10 * frame_cost, kNewsInterval, 1.0) : kNewsInterval;
    return last_news + interval - seconds_since(start);
  }
  // The first frame makes what all others find made, so that its cost says nothing about theirs.
  void note_cost(double seconds) {
    if (std::exchange(first_drawn, true))
      frame_cost = frame_cost == 0 ? seconds : 0.8 * frame_cost + 0.2 * seconds;
  }
  float content_scale = 1;
  ImFontAtlas atlas;
  std::future<Fonts> first_fonts;  // baked at first_scale
  float first_scale = 1;
  MouseQueue mouse;
  std::optional<MouseQueue::Place> pointer;  // as the events say that came so far
  KeyQueue keys;
  std::vector<KeyQueue::Pressed> held;  // pressed for ImGui in the last frame, to be let go in the next
  ImVector<ImWchar> late;               // letters that wait for the next frame
  std::vector<std::string> dropped;     // files that were let go over the window
  MouseQueue::Place place() const {
    if (pointer) return *pointer;
    double x = 0, y = 0;
    glfwGetCursorPos(window, &x, &y);
    return {static_cast<float>(x), static_cast<float>(y)};
  }
  // That came before what comes now.
  std::size_t letters() const {
    return static_cast<std::size_t>(late.Size + ImGui::GetIO().InputQueueCharacters.Size);
  }
};

Window::Window(const WindowOptions& options) : state_(std::make_unique<State>()) {
  // Beside the making of the OpenGL context, which takes longer.
  state_->first_scale = options.scale;
  state_->first_fonts = std::async(std::launch::async, [&atlas = state_->atlas, scale = options.scale] {
    return bake_fonts(atlas, scale);
  });
  // GLFW reports errors through a callback without a pointer of ours; the text is fetched where it matters.
  const auto last_error = [] {
    const char* text = nullptr;
    glfwGetError(&text);
    return std::string(text != nullptr ? text : "no reason was given");
  };
  if (glfwInit() == GLFW_FALSE) {
    fail(ErrorKind::surroundings, "window",
         "there is no display to open a window on (" + last_error() +
             "); set DISPLAY, or use `tapescope run`, which needs none");
  }
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_VISIBLE, GLFW_TRUE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "tapescope");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "tapescope");
  state_->window = glfwCreateWindow(options.width, options.height, options.title.c_str(), nullptr, nullptr);
  if (state_->window == nullptr) {
    const std::string why = last_error();
    glfwTerminate();
    fail(ErrorKind::surroundings, "window",
         "this display has no OpenGL 3.3 (" + why +
             "); install a graphics driver or Mesa, or use `tapescope run`, which needs none");
  }
  glfwSetWindowSizeLimits(state_->window, 320, 200, GLFW_DONT_CARE, GLFW_DONT_CARE);
  glfwMakeContextCurrent(state_->window);
  glfwSwapInterval(1);
  glfwSetWindowUserPointer(state_->window, state_.get());
  // Set before ImGui's backend, which calls what it finds.
  glfwSetKeyCallback(state_->window, [](GLFWwindow* w, int key, int scancode, int action, int modifiers) {
    auto* state = static_cast<State*>(glfwGetWindowUserPointer(w));
    state->frames_due = kFramesAfterInput;
    if (action == GLFW_RELEASE) return;
    const Chord chord = chord_of_glfw(key, scancode, modifiers);
    if (chord.key == Key::none) return;
    state->keys.press({chord, false, action == GLFW_REPEAT, key, state->letters()});
  });
  glfwSetCharCallback(state_->window, [](GLFWwindow* w, unsigned character) {
    auto* state = static_cast<State*>(glfwGetWindowUserPointer(w));
    state->frames_due = kFramesAfterInput;
    const Key key = key_of_character(character);
    // Letters, digits, plus and minus came as keys already.
    if (key < Key::comma) return;
    state->keys.press({.chord = {key}, .character = true, .letters = state->letters()});
  });
  glfwSetMouseButtonCallback(state_->window, [](GLFWwindow* w, int button, int action, int) {
    auto* state = static_cast<State*>(glfwGetWindowUserPointer(w));
    state->frames_due = kFramesAfterInput;
    const std::size_t letters = state->letters();
    state->keys.button(letters);
    if (!compat::kMouseInOrder)
      state->mouse.button(button, action == GLFW_PRESS, state->place(), seconds_since(state->start));
    if (action != GLFW_PRESS) return;
    const auto press = [&](Key key) {
      state->keys.press({.chord = {.key = key, .alt = true}, .letters = letters});
    };
    if (button == GLFW_MOUSE_BUTTON_4) press(Key::left);
    if (button == GLFW_MOUSE_BUTTON_5) press(Key::right);
  });
  glfwSetDropCallback(state_->window, [](GLFWwindow* w, int count, const char** paths) {
    auto* state = static_cast<State*>(glfwGetWindowUserPointer(w));
    state->frames_due = kFramesAfterInput;
    for (int i = 0; i < count; ++i) state->dropped.emplace_back(paths[i]);
  });
  glfwSetScrollCallback(state_->window, [](GLFWwindow* w, double, double) {
    static_cast<State*>(glfwGetWindowUserPointer(w))->frames_due = kFramesAfterInput;
  });
  glfwSetCursorPosCallback(state_->window, [](GLFWwindow* w, double x, double y) {
    auto* state = static_cast<State*>(glfwGetWindowUserPointer(w));
    state->frames_due = kFramesAfterInput;
    state->pointer = {static_cast<float>(x), static_cast<float>(y)};
  });
  glfwSetWindowRefreshCallback(state_->window, [](GLFWwindow* w) {
    static_cast<State*>(glfwGetWindowUserPointer(w))->frames_due = kFramesAfterInput;
  });
  glfwSetWindowFocusCallback(state_->window, [](GLFWwindow* w, int) {
    static_cast<State*>(glfwGetWindowUserPointer(w))->frames_due = kFramesAfterInput;
  });
  glfwSetFramebufferSizeCallback(state_->window, [](GLFWwindow* w, int, int) {
    static_cast<State*>(glfwGetWindowUserPointer(w))->frames_due = kFramesAfterInput;
  });
  IMGUI_CHECKVERSION();
  state_->first_fonts.wait();  // ImGui counts allocations in its context, for one thread
  ImGui::CreateContext(&state_->atlas);
  state_->imgui = true;
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // settings are ours
  io.LogFilename = nullptr;
  state_->glfw_backend = ImGui_ImplGlfw_InitForOpenGL(state_->window, true);
  state_->gl_backend = ImGui_ImplOpenGL3_Init("#version 330 core");
}

Window::~Window() {
  if (state_->gl_backend) ImGui_ImplOpenGL3_Shutdown();
  if (state_->glfw_backend) ImGui_ImplGlfw_Shutdown();
  if (state_->imgui) ImGui::DestroyContext();
  glfwTerminate();  // and its windows
}

void Window::wake() {
  if (!state_->news.exchange(true)) glfwPostEmptyEvent();
}

void Window::resize(int width, int height) {
  glfwSetWindowSize(state_->window, width, height);
  state_->frames_due = kFramesAfterInput;
}
void Window::close() { glfwSetWindowShouldClose(state_->window, GLFW_TRUE); }
void Window::set_title(const std::string& title) { glfwSetWindowTitle(state_->window, title.c_str()); }

int Window::width() const {
  int width = 0;
  glfwGetWindowSize(state_->window, &width, nullptr);
  return width;
}
int Window::height() const {
  int height = 0;
  glfwGetWindowSize(state_->window, nullptr, &height);
  return height;
}

// Where window coordinates are not pixels the framebuffer's factor is in the drawing already.
void Window::bake(Workbench& workbench) {
  float scale = 1;
  glfwGetWindowContentScale(state_->window, &scale, nullptr);
  int pixels = 0;
  glfwGetFramebufferSize(state_->window, &pixels, nullptr);
  const float factor =
      width() > 0 && pixels > 0 ? static_cast<float>(pixels) / static_cast<float>(width()) : 1;
  state_->content_scale = scale > 0 ? scale / factor : 1;
  const float wanted = workbench.state.scale * state_->content_scale;
  const bool first = state_->first_fonts.valid();
  Fonts fonts = first ? state_->first_fonts.get() : Fonts();
  if (!first || wanted != state_->first_scale) fonts = bake_fonts(state_->atlas, wanted);
  workbench.set_fonts(std::move(fonts), state_->content_scale);
  compat::renew_font_texture();
}

// Between the backend's new frame and ImGui's, as hand_on_keys().
void Window::hand_on_clicks() {
  if (compat::kMouseInOrder) return;
  ImGuiIO& io = ImGui::GetIO();
  MouseQueue::Turn now{.at = {io.MousePos.x, io.MousePos.y}};
  std::copy_n(io.MouseDown, MouseQueue::kButtons, now.down.begin());
  const bool waited = state_->mouse.waits();
  const MouseQueue::Turn turn = state_->mouse.take(now, state_->keys.comes_before_click());
  if (!waited) return;
  compat::set_mouse(io, {turn.at.x, turn.at.y});
  for (int button = 0; button < MouseQueue::kButtons; ++button)
    compat::set_button(io, button, turn.down[static_cast<std::size_t>(button)]);
  // A second press counts by when it was made, not by how long frames last.
  io.MouseDoubleClickTime = turn.again ? 1e9f : static_cast<float>(MouseQueue::kDoubleClick);
  state_->frames_due = kFramesAfterInput;
}

void Window::hand_on_keys(Workbench& workbench) {
  ImGuiIO& io = ImGui::GetIO();
  for (const KeyQueue::Pressed& key : std::exchange(state_->held, {}))
    compat::release_key(io, key.chord, glfwGetKey(state_->window, key.code) == GLFW_PRESS);
  ImVector<ImWchar>& waiting = state_->late;
  for (const ImWchar letter : io.InputQueueCharacters) waiting.push_back(letter);
  const KeyQueue::Turn turn =
      state_->keys.take(io.WantTextInput, static_cast<std::size_t>(waiting.Size), state_->mouse.waits());
  const auto letters = static_cast<int>(turn.letters);
  io.InputQueueCharacters.resize(letters);
  std::copy_n(waiting.begin(), letters, io.InputQueueCharacters.begin());
  waiting.erase(waiting.begin(), waiting.begin() + letters);
  for (const KeyQueue::Pressed& key : state_->keys.waiting()) compat::withhold_key(io, key.chord);
  for (const KeyQueue::Pressed& key : turn.keys) {
    if (key.edits() && key.code != 0 && compat::press_key(io, key.chord)) state_->held.push_back(key);
    if (!key.character || !io.WantTextInput) workbench.key(key.chord, io.WantTextInput);
  }
  if (state_->keys.waits() || !state_->held.empty() || waiting.Size > 0)
    state_->frames_due = kFramesAfterInput;
}

void Window::draw_frame(Workbench& workbench, InputQueue& input) {
  float scale = 1;
  glfwGetWindowContentScale(state_->window, &scale, nullptr);
  int pixels_wide = 0, pixels_high = 0;
  glfwGetFramebufferSize(state_->window, &pixels_wide, &pixels_high);
  if (pixels_wide <= 0 || pixels_high <= 0) return;  // minimized
  if (workbench.fonts_wanted || workbench.fonts.text == nullptr) bake(workbench);

  const double now = seconds_since(state_->start);
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  ImGuiIO& io = ImGui::GetIO();
  hand_on_clicks();
  hand_on_keys(workbench);
  // Of several the first is shown, the others beside it.
  const char* command = "open ";
  for (const std::string& file : std::exchange(state_->dropped, {}))
    workbench.post(std::string(std::exchange(command, "open-beside ")) + file);
  input.apply(io, workbench);
  const auto begin = Clock::now();
  ImGui::NewFrame();
  workbench.draw(io.DisplaySize, now);
  ImGui::Render();
  workbench.times.build_ms = seconds_since(begin) * 1e3;
  const double since = now - state_->last_frame;
  // Frames far apart say nothing about how fast they could follow each other.
  workbench.times.fps =
      since < 0.06 ? (workbench.times.fps > 0 ? 0.9 * workbench.times.fps + 0.1 / since : 1 / since) : 0;
  if (state_->last_frame >= 0) workbench.measure_roof();  // not beside the first frame
  state_->last_frame = now;

  glViewport(0, 0, pixels_wide, pixels_high);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

// Until there is a reason to draw.
void Window::sleep(Workbench& workbench, bool script_works) {
  if (state_->frames_due > 0) {
    glfwPollEvents();
    return;
  }
  const double since = seconds_since(state_->start) - state_->last_frame;
  if (workbench.wants_frame) {
    glfwWaitEventsTimeout(std::max(0.001, kMotionInterval - since));
    return;
  }
  double longest = kLongestSleep;
  if (ImGui::GetIO().WantTextInput) longest = 0.4;  // the text cursor blinks
  if (script_works) longest = kScriptInterval;
  // What runs may end before they are due.
  if (state_->news.load())
    longest =
        std::clamp(state_->until_news(workbench.debuggee.runs()), 0.001, std::min(longest, kNewsInterval));
  glfwWaitEventsTimeout(longest);
}

int Window::loop(Workbench& workbench, ScriptRunner* script, InputQueue& input, const std::string& ui_map) {
  while (glfwWindowShouldClose(state_->window) == GLFW_FALSE) {
    sleep(workbench, script != nullptr);
    workbench.debuggee.still_here();
    const double since = seconds_since(state_->start) - state_->last_frame;
    bool draw = state_->frames_due > 0 || workbench.wants_frame || !input.empty() || picture_.has_value();
    // Not by when a frame was drawn last: what moves on the screen would keep them away.
    if (state_->news.load() && state_->until_news(workbench.debuggee.runs()) <= 0) {
      state_->news = false;
      state_->last_news = seconds_since(state_->start);
      draw |= static_cast<bool>(workbench.refresh());
    }
    if (!workbench.notice.empty() && seconds_since(state_->start) > workbench.notice_until) draw = true;
    if (ImGui::GetIO().WantTextInput && since > 0.39) draw = true;
    std::optional<std::string> shot;
    if (script != nullptr) {
      const ScriptRunner::Outcome outcome = script->advance(seconds_since(state_->start));
      if (outcome == ScriptRunner::Outcome::quit) return 0;
      if (outcome == ScriptRunner::Outcome::failed) {
        fmt::print(stderr, "{}\n", script->failure());
        return 1;
      }
      if (outcome == ScriptRunner::Outcome::ended) script = nullptr;
      else draw |= script->wants_frame();
      if (script != nullptr) shot = script->take_shot();
    }
    if (!draw && !shot) continue;
    if (state_->frames_due > 0) --state_->frames_due;
    const auto begin = Clock::now();
    draw_frame(workbench, input);
    if (script != nullptr) script->frame_drawn();
    const int wide =
        static_cast<int>(ImGui::GetIO().DisplaySize.x * ImGui::GetIO().DisplayFramebufferScale.x);
    const int high =
        static_cast<int>(ImGui::GetIO().DisplaySize.y * ImGui::GetIO().DisplayFramebufferScale.y);
    for (std::optional<std::string>* picture : {&shot, &picture_}) {
      if (!picture->has_value() || wide <= 0 || high <= 0) continue;
      std::string wrong;
      try {
        write_png(**picture, read_framebuffer(wide, high));
        if (picture == &picture_) workbench.say("Wrote " + **picture);
      } catch (const Error& error) {
        wrong = error.what();
        workbench.say(wrong);
      }
      if (picture == &shot) script->shot_done(wrong);
      picture->reset();
    }
    glfwSwapBuffers(state_->window);
    state_->note_cost(seconds_since(begin));
    if (!ui_map.empty()) replace_file(ui_map, ui_map_json(workbench));
  }
  return 0;
}

}  // namespace tapescope::ui
