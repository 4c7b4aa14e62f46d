// The window on recordings that do not change, and texts of what it shows that were read and found good.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/events/tick_rate.h"
#include "engine/recording/contents.h"
#include "tests/engine/recording/recording_file.h"
#include "tests/gui/driver.h"
#include "tests/gui/screen_text.h"

namespace tapescope::ui {

// What a recording is made of.
struct MadeRecording {
  std::vector<Record> records;
  std::vector<StatsEntry> statistics;
  record::ProgramResults results;
  record::ProgramFacts facts;
};

// The window on a recording of tests/data, with letters that are alike everywhere.
class Screen {
 public:
  // Programs that run here have the machine's ticks: with 0 nanoseconds each all that they do takes no time.
  explicit Screen(double tick_ns = 0.5);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  // One of recordings-1.1, or FOLDER/NAME; beside the program's source, which a checkout's may differ from.
  void open(const std::string& recording, const std::string& source = "", const std::string& where = "open",
            const record::ProgramFacts& facts = {});
  // Writes NAME.tape into the folder that the window stands in.
  void write(const MadeRecording& made, const std::string& name);
  void run(const std::string& line);
  // The panels look as they were approved for that scene.
  void approve(const std::string& scene, const std::vector<std::string>& panels);
  void approve_region(const std::string& scene, const std::string& name, const std::string& region);
  UiDriver& ui() { return ui_; }

 private:
  const GivenTickRate rate_;
  const test::TemporaryFolder folder_;
  const std::filesystem::path before_;
  UiDriver ui_;
};

// What the window does with inputs, one after the other, as text: of each input the letters that changed,
// where they stand, the sums of what is drawn and of what answers to the pointer, and the commands that can
// or cannot be carried out any more.
class Walk {
 public:
  explicit Walk(Screen& screen);
  // The pointer rests on that item until words come; nothing where it is not on the screen.
  void hover(const std::string& id);
  void click(const std::string& id, int button = 0);
  void double_click(const std::string& id);
  void wheel(const std::string& id, float amount);
  // By so many pixels.
  void drag(const std::string& id, ImVec2 by);
  void key(const std::string& chord);
  void type(const std::string& text);
  void run(const std::string& line);
  // Items whose ids begin so; of those that differ by numbers alone the first `most`.
  std::vector<std::string> items(std::string_view prefix, std::size_t most = 2) const;
  // Hovers over each of them, then clicks on each.
  void over(std::string_view prefix, std::size_t most = 2);
  void onto(std::string_view prefix, std::size_t most = 2);
  // The text is as it was approved.
  void approve(const std::string& name);

 private:
  struct State {
    ScreenCells cells;
    std::string words, copied;
    std::string items;                       // sums over what answers to the pointer
    std::map<std::string, std::string> off;  // commands that cannot be carried out, and why
  };
  State state() const;
  void note(const std::string& input);
  // The middle of an item; none where it is not on the screen.
  const UiItem* find(const std::string& id);

  Screen& screen_;
  UiDriver& ui_;
  State before_;
  std::string text_;
};

}  // namespace tapescope::ui
