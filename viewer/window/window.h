// The real window: GLFW and OpenGL 3. Draws only when there is a reason to.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "viewer/window/input_queue.h"
#include "viewer/window/script.h"
#include "viewer/window/workbench.h"

namespace tapescope::ui {

struct WindowOptions {
  std::string title = "Tapescope";
  int width = 1600, height = 1000;
  float scale = 1;  // of the interface: fonts for it are baked while the window opens
};

class Window final : public WindowPort {
 public:
  // Throws Error of kind surroundings when there is no display or no OpenGL 3.
  explicit Window(const WindowOptions& options);
  ~Window() override;
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // Any thread: have a frame drawn soon.
  void wake();
  // Draws until the window is closed; with a script carries it out. Writes the UI map after each frame where
  // `ui_map` names a file. Returns the exit code.
  int loop(Workbench& workbench, ScriptRunner* script, InputQueue& input, const std::string& ui_map);

  void resize(int width, int height) override;
  void close() override;
  void set_title(const std::string& title) override;
  void save_picture(const std::string& path) override { picture_ = path; }

  // Pixels, as it is now.
  int width() const;
  int height() const;

 private:
  struct State;
  void draw_frame(Workbench& workbench, InputQueue& input);
  void hand_on_clicks();
  void hand_on_keys(Workbench& workbench);
  void bake(Workbench& workbench);
  void sleep(Workbench& workbench, bool script_works);

  std::unique_ptr<State> state_;
  std::optional<std::string> picture_;
};

}  // namespace tapescope::ui
