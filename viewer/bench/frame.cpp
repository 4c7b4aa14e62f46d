// frame.*: building a frame of the whole window, without drawing it: large graphs while panning and zooming,
// a table of a million rows while scrolling. And what is prepared beside the frames of a large step: its
// advice.
#include <imgui.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "engine/events/session.h"
#include "engine/ops/ops.h"
#include "engine/program.h"
#include "engine/tape/tape.h"
#include "viewer/bench/bench.h"
#include "viewer/model/advice.h"
#include "viewer/model/graph_model.h"
#include "viewer/store/ingest.h"
#include "viewer/ui/imgui_compat.h"
#include "viewer/window/workbench.h"

namespace tapescope {
namespace {

constexpr int kWarmFrames = 20, kFrames = 200;

// Processor time of this thread: other programs on the machine do not count.
double processor_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + 1e-6 * static_cast<double>(now.tv_nsec);
}

class NoWindow final : public ui::WindowPort {
 public:
  void resize(int, int) override {}
  void close() override {}
  void set_title(const std::string&) override {}
  void save_picture(const std::string&) override {}
};

// What `work` records, as the window gets it.
template <class Work>
std::shared_ptr<const Snapshot> snapshot_of(Work&& work) {
  Session session({.max_chunks = 4096, .stats_every = 0});
  Store store;
  Store* stores[] = {&store};
  Router router(stores);
  session.start();
  note_step_begin(0, 0);
  work();
  note_step_end(0, 0);
  session.stop();
  session.drain([&](std::uint32_t thread, std::span<const Record> records) { router.add(thread, records); });
  store.publish();
  return store.snapshot();
}

// A step of a deep network: layers of a product, a bias and an activation, in blocks of ten; forward and
// backward.
std::shared_ptr<const Snapshot> network(int ops) {
  return snapshot_of([ops] {
    constexpr int kForwardOps = 5, kBackwardOps = 5, kBlock = 10;  // of a layer, about
    const int layers = ops / (kForwardOps + kBackwardOps);
    std::vector<Variable> weights, biases;
    for (int l = 0; l < layers; ++l) {
      weights.emplace_back(make_full({2, 2}, 0.5, DType::f32),
                           VariableOptions{.name = fmt::format("w{}", l)});
      biases.emplace_back(make_full({2}, 0.1, DType::f32), VariableOptions{.name = fmt::format("b{}", l)});
    }
    GradientTape tape;
    Tensor y = make_full({1, 2}, 1, DType::f32);
    {
      auto recording = tape.record();
      for (int l = 0; l < layers; ++l) {
        const NameScope block(fmt::format("block_{}", l / kBlock));
        const NameScope layer(fmt::format("dense_{}", l));
        y = relu(matmul(y, weights[static_cast<std::size_t>(l)]) + biases[static_cast<std::size_t>(l)]);
      }
    }
    std::vector<Traced> sources(weights.begin(), weights.end());
    sources.insert(sources.end(), biases.begin(), biases.end());
    const Traced target(y);
    tape.gradient(std::span(&target, 1), sources);
  });
}

std::shared_ptr<const Snapshot> long_log(int lines) {
  auto base = snapshot_of([lines] {
    for (int i = 0; i < lines; ++i) note_message("checkpoint written");
  });
  return base;
}

// A workbench in its own context, given snapshots instead of a program.
class Stage {
 public:
  explicit Stage(std::shared_ptr<const Snapshot> snapshot) : context_(ImGui::CreateContext()) {
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    ui::compat::prepare_headless(io);
    bench = std::make_unique<ui::Workbench>(ui::Settings(), window_, [] {});
    bench->set_fonts(ui::bake_fonts(*ImGui::GetIO().Fonts, 1), 1);
    io.Fonts->SetTexID(nullptr);
    bench->a = std::move(snapshot);
    bench->welcome = false;
  }
  ~Stage() {
    bench.reset();
    ImGui::DestroyContext(context_);
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // Processor milliseconds of one frame, from input to draw lists.
  double frame(float wheel = 0) {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {1600, 1000};
    io.DeltaTime = 1.0f / 60;
    io.MousePos = {800, 400};
    io.MouseWheel = wheel;
    time_ += 1.0 / 60;
    const double begin = processor_milliseconds();
    ImGui::NewFrame();
    bench->draw(io.DisplaySize, time_);
    ImGui::Render();
    return processor_milliseconds() - begin;
  }
  // Until no panel waits for its own job.
  void settle() {
    for (int i = 0; i < 2000; ++i) {
      frame();
      if (i > kWarmFrames && bench->panels_caught_up()) return;
      timespec wait{0, 1'000'000};
      nanosleep(&wait, nullptr);
    }
  }

  std::unique_ptr<ui::Workbench> bench;

 private:
  NoWindow window_;
  ImGuiContext* context_;
  double time_ = 0;
};

BenchResult graph(const char* name, int ops, bool folded, double target) {
  Stage stage(network(ops));
  const auto view = stage.bench->a->shown();
  std::set<ScopeId> scopes;
  for (const OpRow& op : view->ops) {
    for (ScopeId scope = op.scope_id; scope != 0 && scopes.insert(scope).second;
         scope = scope_parent(scope)) {
      if (!folded || scope_parent(scope) == 0) stage.bench->state.set_fold(ui::scope_key(scope), folded);
    }
  }
  stage.settle();
  ui::Camera& camera = stage.bench->state.camera;
  const ui::Camera whole = camera;
  std::vector<double> times;
  std::size_t boxes = 0;
  for (int f = 0; f < kFrames; ++f) {
    // Half of the frames show the whole graph, half a part of it with every word; both move, the wheel turns
    // at times.
    const bool near = f >= kFrames / 2;
    if (f == kFrames / 2) camera.zoom = 1;
    if (!near) camera = whole;
    camera.x += near ? 0.0f : 3.0f * static_cast<float>(f % 20);
    camera.y += 20 * std::sin(0.1f * static_cast<float>(f));
    times.push_back(stage.frame(f % 20 == 10 ? 1.0f : f % 20 == 0 ? -1.0f : 0.0f));
    const auto& items = stage.bench->map.items();
    boxes = std::max(boxes, static_cast<std::size_t>(std::ranges::count_if(items, [](const ui::UiItem& item) {
                       return item.id.starts_with("graph/");
                     })));
  }
  return bench_row(name, times, "ms", target,
                   fmt::format("{} ops{}, panning and zooming, whole window of 1600x1000, processor time; up "
                               "to {} named boxes on screen",
                               view->ops.size(), folded ? " in folded blocks" : ", every scope open", boxes));
}

BenchResult table(int rows, double target) {
  Stage stage(long_log(rows));
  stage.bench->execute("panel log");
  stage.settle();
  std::vector<double> with, without;
  for (int f = 0; f < kFrames; ++f) with.push_back(stage.frame(f % 4 == 0 ? -1.0f : 0.0f));
  stage.bench->execute("panel loss");
  stage.settle();
  for (int f = 0; f < kFrames; ++f) without.push_back(stage.frame());
  const double rest = bench_row("", without, "", 0).value;
  for (double& time : with) time -= rest;
  return bench_row(
      "frame.table_1m", with, "ms", target,
      fmt::format("{} rows of the log, scrolling; over a frame with an empty panel in its place", rows));
}

BenchResult advice_of(int ops, int repeats) {
  const auto snapshot = network(ops);
  std::vector<double> times;
  std::size_t rows = 0;
  for (int r = 0; r < repeats; ++r) {
    const double begin = processor_milliseconds();
    rows = advise(*snapshot).size();
    times.push_back(processor_milliseconds() - begin);
  }
  return bench_row("frame.advice_100k", times, "ms", std::numeric_limits<double>::quiet_NaN(),
                   fmt::format("{} ops, pieces of advice: {}; on a separate thread, processor time",
                               snapshot->complete->ops.size(), rows));
}

}  // namespace

std::vector<BenchResult> run_frame_bench() {
  constexpr double kTarget10k = 3, kTarget100k = 5, kTargetTable = 0.2;  // design/viewer.md, budgets
  return {graph("frame.graph_10k", 10'000, false, kTarget10k),
          graph("frame.graph_100k", 100'000, true, kTarget100k), table(1'000'000, kTargetTable),
          advice_of(100'000, 5)};
}

}  // namespace tapescope
