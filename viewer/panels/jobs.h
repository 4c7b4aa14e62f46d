// The ranks of a job by their steps, coloured by time, wait, loss or norm; which one is slow, and what only
// some of them have. Of the open programs those of the job of the one in focus.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "viewer/panels/jobs_picture.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

// Those of the open programs that are ranks of the job of the one in focus, and where each stands among them.
std::vector<JobRank> ranks_in_focus(std::span<const ProgramRow> programs, std::vector<std::size_t>& places);

class JobsPanel final : public Panel {
 public:
  // Called on another thread once has_news(): then a frame is to be drawn.
  std::function<void()> wake;
  // A picture is ready that update() did not take yet.
  bool has_news() const { return work_ != nullptr && work_->done.load(); }
  std::string_view id() const override { return "jobs"; }
  std::string_view title() const override { return "Jobs"; }
  Place place() const override { return Place::bottom; }
  std::string badge(const PanelContext& c) const override;
  void draw_header(PanelContext& c) override;
  void update(PanelContext& c) override;
  void draw(PanelContext& c) override;
  // While a rank runs, the picture is always of a while ago.
  bool caught_up() const override { return runs_ || work_ == nullptr || has_news(); }
  std::string text(const PanelContext& c) const override;
  // Of the ranks that are shown; another number with each other one.
  const JobReport& report() const { return picture_.report; }
  std::uint64_t reports_made() const { return reports_made_; }

 private:
  struct Work {
    JobPicture picture;
    std::vector<std::size_t> places;
    double seconds = 0;
    std::atomic<bool> done{false};
    std::jthread thread;  // last: joined before what it writes is gone
  };
  static float choices_width(const PanelContext& c);
  void draw_choices(PanelContext& c, ImVec2 min, float height);
  void draw_rows(PanelContext& c, ImVec2 min, float width);
  void draw_cells(PanelContext& c, std::size_t row, ImVec2 min, ImVec2 max) const;
  void draw_scale(PanelContext& c, ImVec2 min, float width) const;
  float draw_findings(PanelContext& c, ImVec2 min, float width);
  void show_cell(PanelContext& c, std::size_t row, float share) const;

  JobPicture picture_;
  std::vector<std::size_t> places_;  // of each given rank: which open program it is
  std::vector<std::weak_ptr<const Snapshot>> made_of_;
  std::unique_ptr<Work> work_;
  double asked_at_ = -1e9, took_ = 0;  // seconds: when the last picture was begun, and how long it took
  std::uint64_t reports_made_ = 0;
  bool runs_ = false;  // a rank runs
  // The last frames in which its header had the choice of colours, and in which it was drawn.
  std::uint64_t header_drawn_ = 0, body_drawn_ = 0;
  JobColour colour_ = JobColour::time;
};

}  // namespace tapescope::ui
