// Scripts: one command a line, carried out in the real window through the command table.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/window/input_queue.h"
#include "viewer/window/workbench.h"

namespace tapescope::ui {

struct ScriptLine {
  int number = 0;  // in the file, from 1
  std::string text;
};
// Leaves out blank lines and those that begin with #.
std::vector<ScriptLine> parse_script(std::string_view text);

struct WaitFor {
  enum class What : std::uint8_t { idle, paused, step, seconds } what = What::idle;
  std::uint64_t step = 0;
  double limit = 30;  // seconds; of What::seconds how long to wait
};
// "idle", "paused 5", "step 3 10", "seconds 0.5". What is wrong with it goes to `wrong`.
std::optional<WaitFor> parse_wait(std::string_view text, std::string& wrong);

class ScriptRunner {
 public:
  ScriptRunner(std::vector<ScriptLine> lines, Workbench& workbench, InputQueue& input);

  enum class Outcome : std::uint8_t { working, ended, quit, failed };
  // Goes on where it can; carries out at most one line a call. Call frame_drawn() after each frame.
  Outcome advance(double now);
  const std::string& failure() const { return failure_; }  // "line 3: there is no command `rum`"
  // A picture was asked for; the window writes it after the next frame, and says what went wrong.
  std::optional<std::string> take_shot();
  void shot_done(const std::string& wrong);
  void frame_drawn() { frames_to_draw_ -= frames_to_draw_ > 0 ? 1 : 0; }
  // Frames are needed for the script to get on; false while it only waits for the program.
  bool wants_frame() const { return frames_to_draw_ > 0 || shot_pending_; }

 private:
  enum class Step : std::uint8_t { next, again, quit, failed };
  Step carry_out(std::string_view text, double now);
  Step wait(double now);
  Step click(std::string_view id, double now);
  bool settled(double now);
  Step fail(const std::string& why);

  std::vector<ScriptLine> lines_;
  Workbench& w_;
  InputQueue& input_;
  std::size_t at_ = 0;
  std::string failure_;
  double line_began_ = -1;  // when the line at hand was first tried
  int frames_to_draw_ = 0;  // before the next line, so that the screen shows what the last one did
  int number_ = 0;          // of the line at hand
  // Whether the last line moved the cursor: the next one waits until it is there. A click may have started a
  // run as well, without a wait.
  enum class Moving : std::uint8_t { no, perhaps, yes } moving_ = Moving::no;
  bool launching_ = false;  // the line at hand has started a program, which is not shown yet
  std::optional<WaitFor> wait_;
  std::optional<std::string> shot_;
  bool shot_pending_ = false;
};

}  // namespace tapescope::ui
