// What to change, with the evidence, the saving and the place; tries the other variant where the sample has
// one.
#pragma once
#include <array>
#include <atomic>
#include <thread>

#include "viewer/store/snapshot.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

class AdvicePanel final : public Panel {
 public:
  std::string_view id() const override { return "advice"; }
  std::string_view title() const override { return "Advice"; }
  Place place() const override { return Place::bottom; }
  std::string badge(const PanelContext& c) const override;
  void update(PanelContext& c) override;
  bool caught_up() const override { return job_ == nullptr || job_->done.load(); }
  void draw(PanelContext& c) override;
  std::string text(const PanelContext& c) const override;

 private:
  // What a step said; made off the user-interface thread, as it looks at every op.
  struct Job {
    std::vector<AdviceRow> rows;
    double seconds = 0;
    std::atomic<bool> done{false};
    std::jthread thread;  // last: joined before what it writes is gone
  };
  void draw_row(PanelContext& c, std::size_t index);

  std::vector<AdviceRow> rows_;
  std::unique_ptr<Job> job_;
  std::array<std::weak_ptr<const StepView>, 2> of_;  // the steps that were asked about, of A and B
  std::size_t steps_ = 0;
  std::uint64_t generation_ = 0;
  double due_at_ = 0;  // not before
};

// The variant to compare `variant` with: "optimized", or what else the sample offers; empty when there is
// none.
std::string variant_to_try(std::string_view sample, std::string_view variant);

}  // namespace tapescope::ui
