// The op graph: variables, forward ops downwards, their backward ops beside them, gradients; two of them when
// comparing.
#pragma once
#include <atomic>
#include <thread>

#include "viewer/panels/graph_camera.h"
#include "viewer/panels/graph_canvas.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

class GraphPanel final : public Panel {
 public:
  std::string_view id() const override { return "graph"; }
  std::string_view title() const override { return "Graph"; }
  Place place() const override { return Place::centre; }
  bool draws_own_header(const PanelContext& c) const override { return c.comparing(); }
  void draw_header(PanelContext& c) override;
  void draw(PanelContext& c) override;
  bool caught_up() const override { return job_ == nullptr || job_->done.load(); }
  std::string text(const PanelContext& c) const override;

  const GraphPicture* picture() const { return picture_.get(); }
  const GraphScene& scene(int program) const { return scenes_[static_cast<std::size_t>(program)]; }

 private:
  struct Job {
    std::shared_ptr<const GraphPicture> picture;
    std::atomic<bool> done{false};
    std::jthread thread;  // last: joined before what it writes is gone
  };
  // What a scene was made from; equal means that it still holds.
  struct SceneKey {
    const GraphPicture* picture = nullptr;
    std::uint64_t version = 0, position = 0, frame = 0;
    std::uint32_t done = 0;
    int colour = 0;
    bool paused = false;
    std::string filter;
    bool operator==(const SceneKey&) const = default;
  };

  void refresh(PanelContext& c);
  void take(PanelContext& c, std::shared_ptr<const GraphPicture> picture);
  void refresh_scene(PanelContext& c, int program);
  void draw_pane(PanelContext& c, int program, ImVec2 min, ImVec2 max);
  void draw_pane_header(PanelContext& c, int program, ImVec2 min, ImVec2 max) const;
  void handle_input(PanelContext& c, int program, const CanvasView& view);
  void click(PanelContext& c, int program, std::uint32_t box, bool twice);
  void fold(PanelContext& c, std::uint32_t box);
  void draw_menu(PanelContext& c);
  void draw_minimap(PanelContext& c, int program, const CanvasView& view);
  void tooltip(PanelContext& c, int program, std::uint32_t box) const;
  void name_items(PanelContext& c, int program, const GraphCanvas& canvas, const CanvasView& view) const;
  std::uint32_t selected_box(const PanelContext& c, int program) const;
  std::uint32_t box_of_source(int program, std::string_view name) const;

  std::shared_ptr<const GraphPicture> picture_;
  std::array<GraphScene, 2> scenes_;
  std::array<SceneKey, 2> keys_;
  std::array<StepAtCursor, 2> steps_;
  std::array<OpInFocus, 2> focus_;
  std::unique_ptr<Job> job_;
  GraphCamera camera_;
  std::uint64_t folds_version_ = 0;  // of those picture_ was made with
  std::pair<std::uint64_t, std::uint64_t> generations_;
  double made_at_ = -1;                        // time of the last picture
  std::uint32_t anchor_node_ = layout::kNone;  // the box clicked to fold: it stays where it is
  std::uint32_t hovered_ = layout::kNone;
  int hovered_program_ = 0;
  std::uint32_t menu_box_ = layout::kNone;  // what the menu is about
  bool dragging_ = false, in_minimap_ = false, menu_asked_ = false;
};

}  // namespace tapescope::ui
