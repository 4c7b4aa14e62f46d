// Drives the workbench without a window: a headless ImGui context, input by stable ids, and what must hold
// each frame.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "viewer/ui/fonts.h"
#include "viewer/window/input_queue.h"
#include "viewer/window/workbench.h"

namespace tapescope::ui {

class FakeWindow final : public WindowPort {
 public:
  void resize(int width, int height) override {
    size = {static_cast<float>(width), static_cast<float>(height)};
  }
  void close() override { closed = true; }
  void set_title(const std::string& text) override { title = text; }
  void save_picture(const std::string& path) override { picture = path; }

  ImVec2 size{1600, 1000};
  bool closed = false;
  std::string title, picture;
};

class UiDriver {
 public:
  explicit UiDriver(Settings settings = {});
  ~UiDriver();
  UiDriver(const UiDriver&) = delete;
  UiDriver& operator=(const UiDriver&) = delete;

  // Draws one frame, or several, and looks whether all that must hold does.
  void frame(int count = 1);
  // Two frames a second apart, and one more: words of a tooltip are there, and what moves has come to rest.
  void rest();
  // Acts, then draws until ImGui has seen it and the program is where it was sent. Clicking an id that is not
  // on the screen is a complaint.
  void click(std::string_view id);
  void key(std::string_view chord);
  void type(std::string text);
  // A command line; what went wrong.
  std::string run(std::string_view line);
  // Until the program rests and its events are in the tables; false if it does not for some ten thousand
  // frames.
  bool settle();

  bool on_screen(std::string_view id) const { return bench->map.find(id) != nullptr; }

  FakeWindow window;
  std::unique_ptr<Workbench> bench;
  InputQueue input;
  std::vector<std::string> complaints;  // what did not hold
  // Of a frame while the program is waited for. Next to none: what the window shows is that of a machine on
  // which nothing is waited for.
  double waiting_s = 1.0 / 60;
  std::function<Fonts(float scale)> bake = [](float scale) {
    return bake_fonts(*ImGui::GetIO().Fonts, scale);
  };

 private:
  void check_frame();
  void one_frame(double seconds);

  ImGuiContext* context_;
  double time_ = 0;
};

// What the command `state` writes.
nlohmann::json state_of(const UiDriver& ui);
// Fails the test for each complaint.
void check_clean(const UiDriver& ui);

}  // namespace tapescope::ui
