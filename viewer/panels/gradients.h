// One row per source: value, zero or None, its norm over steps; and why a None is None.
#pragma once
#include "viewer/store/snapshot.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

enum class GradientLook : std::uint8_t { value, pending, zero, none, nonfinite };
struct GradientText {
  GradientLook look = GradientLook::value;
  std::string figure;  // "0.412", "∅ None", "0 zero", "pending"
  std::string note;    // in place of the sparkline: "cut at op 9", "dead relu"
};
// `frame` while paused: what has not arrived there yet is pending.
GradientText describe_gradient(const GradientRow& row, const FrameView* frame, const StepView* view);

// The same of an earlier step.
GradientText describe_health(const HealthPoint& point);

// All sources together at one step, for the strip over them: the worst that any of them was.
struct HealthCell {
  enum class State : std::uint8_t { unknown, good, zeros, zero, nonfinite } state = State::unknown;
  std::uint64_t step = 0;
  std::string source;  // the one it is about, where something is wrong
  double largest = 0;  // norm
};
// By step, oldest first; steps without statistics are left out.
std::vector<HealthCell> health_of(const std::vector<GradientRow>& rows, double dead_share);
// The row's figures as they were at that step; as they are where it has none.
const HealthPoint* health_at(const GradientRow& row, std::uint64_t step);

// The card that answers "Why is X None?".
struct WhyCard {
  std::string question;
  std::string path;    // "loss ← Mean ← Xent ← RealDiv"
  std::string cut;     // "✂ StopGradient, op 9"
  std::string source;  // "temperature (watched, trainable)"
  std::string message, fix, location;
};
WhyCard why_card(const GradientRow& row, const StepView* view);

class GradientsPanel final : public Panel {
 public:
  std::string_view id() const override { return "gradients"; }
  std::string_view title() const override { return "Gradients"; }
  Place place() const override { return Place::left; }
  bool shown(const PanelContext& c) const override { return !c.comparing(); }
  std::string badge(const PanelContext& c) const override;
  void draw(PanelContext& c) override;
  std::string text(const PanelContext& c) const override;

 private:
  void draw_health(PanelContext& c) const;
  void draw_row(PanelContext& c, std::size_t index, const FrameView* frame, const StepView* view);
  void draw_card(PanelContext& c, const GradientRow& row, const StepView* view) const;
  std::size_t explained_row(const PanelContext& c) const;
};

}  // namespace tapescope::ui
