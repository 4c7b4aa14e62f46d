// Times are those of the recordings, with a slower clock; letters are those of ImGui's own font.
#include "tests/gui/recorded_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <sstream>

#include "engine/recording/container.h"
#include "tests/support/approval.h"
#include "tests/support/catch.h"
#include "viewer/window/state_json.h"

namespace tapescope::ui {
namespace {

// A tick of the recordings is a whole number of ticks of Screen, so that times are exact; they are whole
// microseconds, and so are medians of two, far from where a figure is rounded otherwise.
constexpr const char* kTick = "4000";

// Copies a recording as one of a slower clock. Adds those facts.
void copy_slower(const std::string& from, const std::string& to, record::ProgramFacts facts) {
  std::ifstream in(from, std::ios::binary);
  const record::Bytes whole{std::istreambuf_iterator<char>(in), {}};
  const std::span<const std::uint8_t> rest = std::span(whole).subspan(record::kFileHeaderSize);
  const auto header = record::parse_chunk_header(rest.first(record::kChunkHeaderSize));
  REQUIRE(header.has_value());
  const std::size_t size = record::kChunkHeaderSize + header->stored_size;
  record::Bytes raw;
  REQUIRE(record::unpack_chunk(*header, rest.subspan(record::kChunkHeaderSize, header->stored_size), raw));
  REQUIRE(record::read_facts(raw, facts));
  facts["tick_ns"] = kTick;
  record::Bytes written(whole.begin(), whole.begin() + record::kFileHeaderSize);
  record::ByteWriter out;
  record::write_facts(out, facts);
  record::append_chunk(written, record::ChunkKind::program, header->number, out.bytes());
  written.insert(written.end(), rest.begin() + static_cast<std::ptrdiff_t>(size), rest.end());
  std::ofstream(to, std::ios::binary)
      .write(reinterpret_cast<const char*>(written.data()), static_cast<std::streamsize>(written.size()));
}

constexpr std::size_t kMostRows = 10;  // of the screen that an input changes, whose letters are written

// FNV-1a.
std::uint32_t checksum(std::string_view text) {
  std::uint32_t sum = 2166136261;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 16777619;
  return sum;
}

// Sums of many times differ in their last digits: 710.999 and 711.001 as 711.0..
void blank_thousandths(std::vector<std::string>& cells) {
  const auto digit = [&](std::size_t x) {
    return x < cells.size() && std::isdigit(static_cast<unsigned char>(cells[x][0])) != 0;
  };
  for (std::size_t x = 1; x < cells.size(); ++x) {
    if (cells[x] != "." || !digit(x - 1) || !digit(x + 1) || !digit(x + 2) || !digit(x + 3) || digit(x + 4))
      continue;
    std::size_t first = x;
    std::string number;
    while (first > 0 && digit(first - 1)) --first;
    for (std::size_t at = first; at < x + 4; ++at) number += cells[at];
    const std::string rounded = fmt::format("{:.3f}", std::stod(number) + 0.01);
    for (std::size_t at = first; at < x + 2 && rounded.size() == number.size(); ++at)
      cells[at] = rounded[at - first];
    cells[x + 2] = cells[x + 3] = ".";
  }
}

// A text with figures of a screen.
void approve_screen(const std::string& name, const std::string& text) {
  CHECK_FALSE(text.empty());
  if (IMGUI_VERSION_NUM >= 18700) {
    WARN("not compared: later versions of Dear ImGui than 1.86 round some edges otherwise");
    return;
  }
  const std::string path = "gui/approved/" + name + ".txt";
  std::ifstream in(std::string(tests_folder()) + "/" + path, std::ios::binary);
  const std::string known{std::istreambuf_iterator<char>(in), {}};
  tapescope::approve(path, same_screen(known, text) ? known : text);
}

// Ids of the graph's gradients have hashes, which depend on what ran before.
std::string without_hashes(const std::string& text) {
  constexpr std::size_t kLeast = 10;  // digits: leading zeros are not written
  std::string without;
  for (std::size_t i = 0, end = 0; i < text.size(); i = std::max(end, i + 1)) {
    end = i;
    while (end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    without += end - i >= kLeast ? "..." : text.substr(i, std::max(end, i + 1) - i);
  }
  return without;
}

std::string without_digits(std::string_view id) {
  std::string kind;
  for (const char c : id) {
    if (c < '0' || c > '9') kind += c;
  }
  return kind;
}

// Sums: an item that moves, grows, is gone or answers no more changes them.
std::string items_text(const std::vector<UiItem>& items) {
  double x = 0, y = 0, w = 0, h = 0;
  for (const UiItem& item : items) x += item.x, y += item.y, w += item.w, h += item.h;
  return fmt::format("#items {} at {:.0f} {:.0f}, {:.0f} wide, {:.0f} high, {} off", items.size(), x, y, w, h,
                     std::ranges::count(items, false, &UiItem::enabled));
}

ImVec2 middle_of(const UiItem& item) { return {item.x + item.w / 2, item.y + item.h / 2}; }

}  // namespace

// Paths are those of the folder: they have no part that differs from machine to machine.
Screen::Screen(double tick_ns) : rate_(tick_ns), before_(std::filesystem::current_path()) {
  std::filesystem::current_path(folder_ / "");
  ui_.bake = bake_plain_fonts;
  ui_.waiting_s = 1e-5;
  ui_.frame();
  ui_.window.size = {1280, 800};
}

Screen::~Screen() { std::filesystem::current_path(before_); }

void Screen::open(const std::string& recording, const std::string& source, const std::string& where,
                  const record::ProgramFacts& facts) {
  const std::string copy = recording.substr(recording.rfind('/') + 1) + ".tape",
                    folder = recording.find('/') == std::string::npos ? "recordings-1.1/" : "";
  copy_slower(tests_folder() + "/data/" + folder + recording + ".tape", copy, facts);
  if (!source.empty()) {
    std::ofstream lines(source);
    for (int line = 1; line <= 200; ++line)
      lines << "const auto line_" << line << " = matmul(x, w);  // \"text\"\n";
  }
  run(where + " " + copy);
}

void Screen::write(const MadeRecording& made, const std::string& name) {
  record::Bytes bytes;
  record::ProgramFacts facts = made.facts;
  facts.emplace("name", name);
  record::RecordingWriter writer(std::make_unique<test::MemorySink>(bytes), facts);
  writer.add(0, made.records);
  writer.add_statistics(made.statistics);
  writer.add_results(made.results);
  writer.finish("finished", 0, 0);
  test::write_file(name + ".tape", bytes);
}

void Screen::run(const std::string& line) {
  INFO(line);
  CHECK(ui_.run(line) == "");
  REQUIRE(ui_.settle());
  ui_.frame(30);  // what moves has come to rest
}

void Screen::approve(const std::string& scene, const std::vector<std::string>& panels) {
  for (const std::string& panel : panels) {
    run("panel " + panel);
    approve_region(scene, panel, panel);
  }
  check_clean(ui_);
}

void Screen::approve_region(const std::string& scene, const std::string& name, const std::string& region) {
  approve_screen(scene + "/" + name, screen_text(region));
}

Walk::Walk(Screen& screen) : screen_(screen), ui_(screen.ui()) {
  if (!ui_.bench->state.reduce_motion) ui_.run("reduce-motion");
  ui_.frame(30);
  before_ = state();
}

Walk::State Walk::state() const {
  const Workbench& w = *ui_.bench;
  const char* const copied = ImGui::GetClipboardText();
  State now{
      .cells = screen_cells("tapescope"),
      .words = fmt::format("{}, panel {}, place {} of {}, filter '{}'", selection_text(w.state.selection()),
                           w.state.panel, w.state.cursor.position, w.state.cursor.count, w.state.filter()),
      .copied = copied != nullptr ? copied : "",
      .items = items_text(w.map.items()),
      .off = {}};
  for (std::vector<std::string>& line : now.cells.lines) blank_thousandths(line);
  for (const Command* command : w.table.all()) {
    const std::string why = command->unavailable != nullptr ? command->unavailable(w) : std::string();
    if (!why.empty()) now.off[std::string(command->id)] = why;
  }
  return now;
}

void Walk::note(const std::string& input) {
  CHECK(ui_.settle());
  // A step that is read again comes beside the program.
  while (ui_.bench->debuggee.shown().look_back().reads()) CHECK(ui_.settle());
  ui_.rest();
  CHECK(ui_.settle());
  State after = state();
  text_ += without_hashes(input) + "\n";
  if (after.words != before_.words) text_ += "  " + after.words + "\n";
  if (after.copied != before_.copied) text_ += "copied:\n" + after.copied + "\n";
  std::string on;
  for (const auto& [id, why] : before_.off) on += after.off.contains(id) ? "" : " " + id;
  if (!on.empty()) text_ += "  can:" + on + "\n";
  std::map<std::string, std::string> off;  // of each reason
  for (const auto& [id, why] : after.off) {
    const auto former = before_.off.find(id);
    if (former == before_.off.end() || former->second != why) off[why] += " " + id;
  }
  for (const auto& [why, ids] : off) text_ += fmt::format("  cannot:{}: {}\n", ids, why);
  std::size_t rows = 0;
  std::string others;
  for (std::size_t y = 0; y < after.cells.lines.size(); ++y) {
    const auto& line = after.cells.lines[y];
    const auto* const former = y < before_.cells.lines.size() ? &before_.cells.lines[y] : nullptr;
    const auto differs = [&](std::size_t x) {
      return former == nullptr || x >= former->size() || (*former)[x] != line[x];
    };
    std::size_t first = 0, last = line.size();
    while (first < last && !differs(first)) ++first;
    while (last > first && !differs(last - 1)) --last;
    if (first == last) continue;
    std::string letters;
    for (std::size_t x = first; x < last; ++x) letters += line[x];
    letters.erase(letters.find_last_not_of(' ') + 1);
    (++rows <= kMostRows ? text_ : others) += fmt::format("  {},{}: {}\n", y, first, letters);
  }
  if (rows > kMostRows) text_ += fmt::format("  and {} more, {:08x}\n", rows - kMostRows, checksum(others));
  for (const auto& [window, figures] : after.cells.figures) {
    const auto former = before_.cells.figures.find(window);
    if (former == before_.cells.figures.end() || former->second != figures)
      text_ += fmt::format("#{}{}\n", window, figures);
  }
  for (const auto& [window, figures] : before_.cells.figures) {
    if (!after.cells.figures.contains(window)) text_ += fmt::format("#{} is gone\n", window);
  }
  if (after.items != before_.items) text_ += after.items + "\n";
  before_ = std::move(after);
}

const UiItem* Walk::find(const std::string& id) {
  const UiItem* const item = ui_.bench->map.find(id);
  if (item == nullptr) text_ += without_hashes(id) + " is not on the screen\n";
  return item;
}

void Walk::hover(const std::string& id) {
  const UiItem* const item = find(id);
  if (item == nullptr) return;
  ui_.input.move(middle_of(*item));
  note("hover " + id);
}

void Walk::click(const std::string& id, int button) {
  const UiItem* const item = find(id);
  if (item == nullptr) return;
  ui_.input.click(middle_of(*item), button);
  note((button == 1 ? "right click " : "click ") + id);
}

void Walk::double_click(const std::string& id) {
  const UiItem* const item = find(id);
  if (item == nullptr) return;
  const ImVec2 at = middle_of(*item);
  ui_.input.click(at);
  ui_.input.click(at);
  note("double click " + id);
}

void Walk::wheel(const std::string& id, float amount) {
  const UiItem* const item = find(id);
  if (item == nullptr) return;
  ui_.input.wheel(middle_of(*item), amount);
  note(fmt::format("wheel {} {}", amount, id));
}

void Walk::drag(const std::string& id, ImVec2 by) {
  const UiItem* const item = find(id);
  if (item == nullptr) return;
  const ImVec2 at = middle_of(*item);
  ui_.input.drag(at, {at.x + by.x, at.y + by.y});
  note(fmt::format("drag {} by {} {}", id, by.x, by.y));
}

void Walk::key(const std::string& chord) {
  ui_.input.key(parse_chord(chord).value());
  note("key " + chord);
}

void Walk::type(const std::string& text) {
  ui_.input.text(text);
  note("type " + text);
}

void Walk::run(const std::string& line) {
  const std::string wrong = ui_.run(line);
  note(wrong.empty() ? line : line + ": " + wrong);
}

std::vector<std::string> Walk::items(std::string_view prefix, std::size_t most) const {
  std::vector<std::string> ids;
  std::map<std::string, std::size_t> of_kind;
  for (const UiItem& item : ui_.bench->map.items()) {
    if (item.id.starts_with(prefix) && ++of_kind[without_digits(without_hashes(item.id))] <= most)
      ids.push_back(item.id);
  }
  return ids;
}

void Walk::over(std::string_view prefix, std::size_t most) {
  for (const std::string& id : items(prefix, most)) hover(id);
}

void Walk::onto(std::string_view prefix, std::size_t most) {
  for (const std::string& id : items(prefix, most)) click(id);
}

void Walk::approve(const std::string& name) {
  approve_screen(name, text_);
  check_clean(ui_);
}

}  // namespace tapescope::ui
