// Prepared on a thread, as every step of every rank is looked at.
#include "viewer/panels/jobs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

// Seconds between two pictures while the ranks run, and how much longer than a picture takes; pictures of
// ranks that are being read delay what they show.
constexpr double kBetween = 0.3, kBetweenOfTook = 5, kBetweenOfTookReading = 20;

Sign sign_of(const JobFinding& finding) {
  if (finding.kind == "straggler") return Sign::down;
  if (finding.kind == "diverged") return Sign::partial;
  if (finding.alert == "nonfinite") return Sign::nonfinite;
  if (finding.alert == "retrace") return Sign::retrace;
  if (finding.alert == "none") return Sign::none_;
  return Sign::info;
}

bool stands_out(const JobFinding& finding, int rank) {
  return std::find(finding.ranks.begin(), finding.ranks.end(), rank) != finding.ranks.end();
}

// Whether recordings of ranks are still being read.
bool being_read(std::span<const ProgramRow> programs) {
  return std::ranges::any_of(programs, [](const ProgramRow& program) {
    return program.recording && program.place.rank && program.status.mode == RunMode::running;
  });
}

}  // namespace

std::vector<JobRank> ranks_in_focus(std::span<const ProgramRow> programs, std::vector<std::size_t>& places) {
  places.clear();
  std::vector<JobRank> ranks;
  const auto focus =
      std::find_if(programs.begin(), programs.end(), [](const ProgramRow& p) { return p.in_focus; });
  if (focus == programs.end() || !focus->place.rank) return ranks;
  std::vector<int> known;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const ProgramRow& program = programs[i];
    if (!program.place.rank || program.place.job != focus->place.job || program.snapshot == nullptr) continue;
    // A recording beside the program itself: one of them is enough.
    if (std::find(known.begin(), known.end(), *program.place.rank) != known.end()) continue;
    known.push_back(*program.place.rank);
    const std::string& process = program.process.empty() ? program.title : program.process;
    ranks.push_back({.title = program.title,
                     .place = program.place,
                     .snapshot = program.snapshot,
                     .program = process.substr(0, process.rfind(" (")),
                     .clock = program.clock});
    places.push_back(i);
  }
  return ranks;
}

std::string JobsPanel::badge(const PanelContext&) const {
  const std::size_t found = picture_.report.findings.size();
  return found == 0 ? std::string() : std::to_string(found);
}

void JobsPanel::update(PanelContext& c) {
  if (has_news()) {
    picture_ = std::move(work_->picture);
    places_ = std::move(work_->places);
    took_ = work_->seconds;
    ++reports_made_;
    work_ = nullptr;
    c.wants_frame = true;
  }
  std::vector<std::size_t> places;
  std::vector<JobRank> ranks = ranks_in_focus(c.programs, places);
  if (ranks.empty()) {
    if (!picture_.report.ranks.empty()) ++reports_made_;
    picture_ = {};
    places_.clear();
    made_of_.clear();
    runs_ = false;
    return;
  }
  const bool same =
      std::equal(ranks.begin(), ranks.end(), made_of_.begin(), made_of_.end(),
                 [](const JobRank& rank, const auto& made) { return rank.snapshot == made.lock(); });
  runs_ = std::any_of(c.programs.begin(), c.programs.end(),
                      [](const ProgramRow& p) { return p.status.mode == RunMode::running; });
  if (same || work_ != nullptr) return;
  const double longer = being_read(c.programs) ? kBetweenOfTookReading : kBetweenOfTook;
  if (runs_ && c.time < asked_at_ + std::max(kBetween, longer * took_) && !made_of_.empty()) return;
  asked_at_ = c.time;
  made_of_.clear();
  for (const JobRank& rank : ranks) made_of_.push_back(rank.snapshot);
  work_ = std::make_unique<Work>();
  work_->places = std::move(places);
  work_->thread = std::jthread([work = work_.get(), ranks = std::move(ranks), this] {
    const auto begin = std::chrono::steady_clock::now();
    work->picture = make_job_picture(ranks);
    work->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    work->done.store(true);
    if (wake) wake();
  });
}

float JobsPanel::choices_width(const PanelContext& c) {
  float width = 0;
  for (std::size_t i = 0; i < kJobColours; ++i)
    width += text_width(c.fonts.text, text_of(static_cast<JobColour>(i)).id) + c.m().px(16);
  return width;
}

void JobsPanel::draw_choices(PanelContext& c, ImVec2 min, float height) {
  float x = min.x;
  for (std::size_t i = 0; i < kJobColours; ++i) {
    const auto colour = static_cast<JobColour>(i);
    const JobColourText& words = text_of(colour);
    const float width = text_width(c.fonts.text, words.id) + c.m().px(16);
    ImGui::SetCursorScreenPos({x, min.y + std::round((height - c.m().hit) / 2)});
    ImGui::PushID(words.id);
    if (ImGui::InvisibleButton("colour", {width, c.m().hit})) colour_ = colour;
    ImGui::PopID();
    const std::string id = fmt::format("jobs/colour/{}", words.id);
    c.map.item(id, words.id);
    const bool on = colour_ == colour;
    draw_text(ImGui::GetWindowDrawList(), on ? c.fonts.bold : c.fonts.text,
              {x + c.m().px(8), centred(c.fonts.text, min.y, height)},
              c.color(on || ImGui::IsItemHovered() ? Color::text : Color::dim), words.id);
    tooltip_words(c, id, fmt::format("Colours by the {}", words.what));
    x += width;
  }
}

// Where there is no room the body has them.
void JobsPanel::draw_header(PanelContext& c) {
  const ImVec2 min = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float x = min.x + size.x - c.m().pad - choices_width(c);
  if (picture_.columns == 0 || x < min.x) return;
  draw_choices(c, {x, min.y}, size.y);
  header_drawn_ = c.map.frame();
}

void JobsPanel::draw(PanelContext& c) {
  if (picture_.report.ranks.empty()) {
    empty_state(c, "Ranks of a job by their steps: which one is slow, and what only some of them have.",
                "Open the recordings of all ranks, or attach to all: tapescope gui --job NAME.");
    return;
  }
  const ImVec2 min = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
  const float pad = c.m().pad;
  const bool wide = size.x > c.m().px(900);
  // What stands out comes first where there is no room beside the rows.
  const float beside = wide ? std::min(size.x * 0.36f, c.m().px(560)) : 0;
  float y = min.y + c.m().px(8);
  if (!wide) y += draw_findings(c, {min.x + pad, y}, size.x - 2 * pad) + c.m().gap;
  // A tab's header comes after the body, so that it is as in the frame before; the first one has nothing to
  // go by. That of a panel which fills the window has come already.
  const std::uint64_t before = c.map.frame() - 1;
  const bool was_drawn = std::exchange(body_drawn_, before + 1) == before;
  const bool has_header = header_drawn_ >= before || !was_drawn;
  if (picture_.columns > 0 && !has_header) {
    draw_choices(c, {min.x + pad - c.m().px(8), y - c.m().px(4)}, c.m().hit);
    y += c.m().hit;
  }
  draw_rows(c, {min.x + pad, y}, size.x - 2 * pad - beside);
  const float rows_end = ImGui::GetCursorScreenPos().y;
  if (!wide) return;
  const float end =
      min.y + c.m().px(8) + draw_findings(c, {min.x + size.x - beside, min.y + c.m().px(8)}, beside - pad);
  ImGui::SetCursorScreenPos({min.x, std::max(rows_end, end)});
  ImGui::Dummy({1, c.m().gap});
}

// Returns its height.
float JobsPanel::draw_findings(PanelContext& c, ImVec2 min, float width) {
  const JobReport& report = picture_.report;
  ImDrawList* list = ImGui::GetWindowDrawList();
  float y = min.y;
  const float side = c.m().px(16), inset = side + c.m().px(8);
  const bool reads = being_read(c.programs);
  draw_elided(c, c.fonts.bold, {min.x, y}, width, c.color(Color::text), head_of(report, reads));
  y += c.fonts.bold->FontSize + c.m().px(6);
  // Ranks that were read in part have few exchanges in common.
  for (const std::string& sentence : reads ? std::vector<std::string>() : clock_sentences(report)) {
    y += draw_wrapped(list, c.fonts.small, {min.x, y}, width, c.color(Color::dim), sentence) + c.m().px(6);
  }
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const JobFinding& finding = report.findings[i];
    const std::string id = fmt::format("jobs/finding/{}", i);
    const std::string title = fmt::format("{} · {}", finding.kind == "only" ? finding.alert : finding.kind,
                                          ranks_text(finding.ranks));
    const float text = width - inset, words = wrapped_height(c.fonts.text, finding.message, text),
                remedy =
                    finding.fix.empty() ? 0 : wrapped_height(c.fonts.small, finding.fix, text) + c.m().px(2);
    const float height = c.fonts.bold->FontSize + words + remedy + c.m().px(10);
    ImGui::SetCursorScreenPos({min.x, y});
    ImGui::PushID(static_cast<int>(i));
    const bool clicked = ImGui::InvisibleButton("finding", {std::max(1.0f, width), height});
    ImGui::PopID();
    c.map.item(id, title);
    if (ImGui::IsItemHovered())
      list->AddRectFilled({min.x - c.m().px(4), y - c.m().px(2)}, {min.x + width, y + height - c.m().px(4)},
                          c.color(Color::hovered), c.m().rounding);
    tooltip_words(c, id,
                  fmt::format("Shows {}{}", ranks_text(std::span(finding.ranks).first(1)),
                              finding.location.empty() ? "" : "; " + finding.location));
    draw_sign(c, {min.x, y}, side, sign_of(finding), Color::broken);
    draw_text(list, c.fonts.bold, {min.x + inset, y}, c.color(Color::broken_text),
              elide(c.fonts.bold, title, text));
    float line = y + c.fonts.bold->FontSize + c.m().px(2);
    line +=
        draw_wrapped(list, c.fonts.text, {min.x + inset, line}, text, c.color(Color::text), finding.message);
    if (!finding.fix.empty())
      draw_wrapped(list, c.fonts.small, {min.x + inset, line + c.m().px(2)}, text, c.color(Color::dim),
                   finding.fix);
    if (clicked) {
      for (std::size_t row = 0; row < report.ranks.size(); ++row) {
        if (report.ranks[row].rank == finding.ranks.front())
          c.commands.post(fmt::format("program {}", places_[picture_.programs[row]] + 1));
      }
    }
    y += height;
  }
  ImGui::SetCursorScreenPos({min.x, y});
  return y - min.y;
}

void JobsPanel::draw_rows(PanelContext& c, ImVec2 min, float width) {
  const JobReport& report = picture_.report;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool figures = width > c.m().px(560);
  const float label = c.m().px(74), column = c.m().px(76), right = figures ? 3 * column + c.m().px(6) : 0;
  const float left = min.x + label, end = min.x + width - right;
  const float head = c.fonts.small->FontSize + c.m().px(6);
  if (figures) {
    const char* titles[] = {"computes", "waits", "slowest"};
    for (int i = 0; i < 3; ++i)
      draw_text(list, c.fonts.small, {end + column * static_cast<float>(i + 1), min.y}, c.color(Color::dim),
                titles[i], Align::right);
  }
  draw_scale(c, {left, min.y}, end - left);
  const float row_height = report.ranks.size() > 64 ? c.m().px(12) : c.m().row_height;
  ImGui::SetCursorScreenPos({min.x, min.y + head});
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(report.ranks.size()), row_height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto row = static_cast<std::size_t>(i);
      const RankRow& rank = report.ranks[row];
      const std::size_t program = places_[picture_.programs[row]];
      const float y = min.y + head + row_height * static_cast<float>(i);
      const std::string id = fmt::format("jobs/rank/{}", rank.rank);
      ImGui::SetCursorScreenPos({min.x, y});
      ImGui::PushID(rank.rank);
      const bool clicked = ImGui::InvisibleButton("rank", {std::max(1.0f, width), row_height});
      ImGui::PopID();
      c.map.item(id, fmt::format("rank {}", rank.rank));
      c.map.has_tooltip(id);
      const bool hovered = ImGui::IsItemHovered(),
                 focus = program < c.programs.size() && c.programs[program].in_focus;
      if (hovered || focus)
        list->AddRectFilled({min.x, y}, {min.x + width, y + row_height},
                            c.color(focus ? Color::selection : Color::hovered), c.m().rounding);
      if (clicked) c.commands.post(fmt::format("program {}", program + 1));
      const ImFont* font = row_height < c.m().row_height ? c.fonts.mono_small : c.fonts.text;
      draw_text(list, font, {min.x + c.m().px(4), centred(font, y, row_height)}, c.color(Color::text),
                fmt::format("rank {}", rank.rank));
      const auto mark =
          std::find_if(report.findings.begin(), report.findings.end(),
                       [&](const JobFinding& finding) { return stands_out(finding, rank.rank); });
      if (mark != report.findings.end() && row_height >= c.m().px(16))
        draw_sign(c, {left - c.m().px(20), y + (row_height - c.m().px(14)) / 2}, c.m().px(14), sign_of(*mark),
                  Color::broken);
      draw_cells(c, row, {left, y + c.m().px(1)}, {end, y + row_height - c.m().px(1)});
      if (figures) {
        const std::string texts[] = {format_us(rank.compute_us), format_us(rank.exchange_us),
                                     format_percent(report.share_slowest(rank))};
        for (int f = 0; f < 3; ++f)
          draw_text(list, c.fonts.mono_small,
                    {end + column * static_cast<float>(f + 1), centred(c.fonts.mono_small, y, row_height)},
                    c.color(Color::text), texts[f], Align::right);
      }
      const float mouse = ImGui::GetIO().MousePos.x;
      if (hovered && mouse >= left && mouse < end) show_cell(c, row, (mouse - left) / (end - left));
    }
  }
  clipper.End();
  ImGui::SetCursorScreenPos({min.x, min.y + head + row_height * static_cast<float>(report.ranks.size())});
}

// The steps at both ends, and what the colours span.
void JobsPanel::draw_scale(PanelContext& c, ImVec2 min, float width) const {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const JobCells& cells = picture_.cells[static_cast<std::size_t>(colour_)];
  const float bar = c.m().px(60), height = c.fonts.small->FontSize;
  draw_text(list, c.fonts.small, min, c.color(Color::dim),
            fmt::format("steps {} to {}", picture_.first_step + picture_.step_base,
                        picture_.last_step + picture_.step_base));
  const std::string low = format_job_value(colour_, cells.low), high = format_job_value(colour_, cells.high);
  float x = min.x + width - text_width(c.fonts.mono_small, high);
  if (x - bar - text_width(c.fonts.mono_small, low) - c.m().px(90) < min.x) return;
  draw_text(list, c.fonts.mono_small, {x, min.y}, c.color(Color::dim), high);
  x -= bar + c.m().px(6);
  constexpr int kPieces = 12;
  for (int i = 0; i < kPieces; ++i) {
    const float from = x + bar * static_cast<float>(i) / kPieces,
                to = x + bar * static_cast<float>(i + 1) / kPieces;
    list->AddRectFilled({from, min.y + c.m().px(2)}, {to, min.y + height},
                        c.theme.heat(static_cast<float>(i) / (kPieces - 1)));
  }
  draw_text(list, c.fonts.mono_small, {x - c.m().px(6), min.y}, c.color(Color::dim), low, Align::right);
}

void JobsPanel::draw_cells(PanelContext& c, std::size_t row, ImVec2 min, ImVec2 max) const {
  const float width = max.x - min.x;
  if (picture_.columns == 0 || width < 1) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const JobCells& cells = picture_.cells[static_cast<std::size_t>(colour_)];
  // At least a pixel each: of columns that share one, the largest value shows.
  const auto shown = std::min(picture_.columns, static_cast<std::size_t>(width));
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t first = i * picture_.columns / shown,
                      last = std::max(first + 1, (i + 1) * picture_.columns / shown);
    float value = NAN;
    bool broken = false;
    for (std::size_t column = first; column < last; ++column) {
      const float one = picture_.value(colour_, row, column);
      broken |= std::isinf(one);
      if (std::isnan(value) || one > value) value = one;
    }
    const float x0 = min.x + width * static_cast<float>(i) / static_cast<float>(shown),
                x1 = min.x + width * static_cast<float>(i + 1) / static_cast<float>(shown);
    const float gap = x1 - x0 > c.m().px(5) ? c.m().line : 0;
    if (std::isnan(value)) {
      list->AddLine({x0, (min.y + max.y) / 2}, {x1, (min.y + max.y) / 2}, c.color(Color::line), c.m().line);
      continue;
    }
    const float t = cells.high > cells.low
                        ? std::clamp((value - cells.low) / (cells.high - cells.low), 0.0f, 1.0f)
                        : 0.5f;
    list->AddRectFilled({x0, min.y}, {x1 - gap, max.y}, broken ? c.color(Color::broken) : c.theme.heat(t));
  }
  // Where this rank parted from the others, from that step on.
  for (const JobFinding& finding : picture_.report.findings) {
    if (finding.kind != "diverged" || !stands_out(finding, picture_.report.ranks[row].rank)) continue;
    const auto span = static_cast<float>(picture_.last_step - picture_.first_step + 1);
    const float x = min.x + width * static_cast<float>(*finding.step - picture_.first_step) / span;
    list->AddLine({x, max.y - c.m().px(1)}, {max.x, max.y - c.m().px(1)}, c.color(Color::broken),
                  c.m().px(3));
  }
}

void JobsPanel::show_cell(PanelContext& c, std::size_t row, float share) const {
  if (picture_.columns == 0) return;
  const auto column =
      std::min(picture_.columns - 1, static_cast<std::size_t>(share * static_cast<float>(picture_.columns)));
  const auto [first, last] = picture_.steps_of(column);
  const RankRow& rank = picture_.report.ranks[row];
  std::string text =
      fmt::format("rank {}  {}{}\n", rank.rank, rank.title, rank.host.empty() ? "" : " on " + rank.host);
  const std::uint64_t base = picture_.step_base;
  text += first == last ? fmt::format("step {}", first + base)
                        : fmt::format("steps {} to {}, the most of them", first + base, last + base);
  for (std::size_t i = 0; i < kJobColours; ++i) {
    const auto colour = static_cast<JobColour>(i);
    const float value = picture_.value(colour, row, column);
    if (!std::isnan(value))
      text += fmt::format("\n{:<6}{}", text_of(colour).id, format_job_value(colour, value));
  }
  ImGui::BeginTooltip();
  ImGui::PushFont(c.fonts.mono);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopFont();
  ImGui::EndTooltip();
}

std::string JobsPanel::text(const PanelContext&) const {
  return picture_.report.ranks.empty() ? std::string() : job_text(picture_.report);
}

}  // namespace tapescope::ui
