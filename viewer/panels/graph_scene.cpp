// States, marks and figures of the boxes.
#include "viewer/panels/graph_scene.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "engine/events/stats.h"
#include "viewer/panels/graph_cuts.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

using layout::Box;
using layout::BoxKind;
using layout::kNone;
using layout::Lane;

// What all ops of a box come to.
struct Sum {
  std::uint32_t ops = 0, other_ops = 0;  // of this program, of the other one
  std::uint32_t pending = 0;
  double forward_us = 0, backward_us = 0, own_us = 0, saved = 0;
  std::uint32_t a_op = kNoOp;
  bool matches = false, changed = false;
};

// At most two digits, not below `v`: the end of a scale that people can read.
double scale_end(double v) {
  if (!(v > 0)) return 1;
  const double unit = std::pow(10.0, std::floor(std::log10(v)));
  for (const double step : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0}) {
    if (v <= step * unit) return step * unit;
  }
  return 10 * unit;
}

// At most eight families, always in this order, so that a family keeps its colour.
constexpr const char* kFamilies[] = {"matrix product", "elementwise",   "reduction", "shape",
                                     "variable",       "loss, softmax", "other"};
int family_of(const OpRow& row) {
  const std::string_view op = row.op;
  const auto any = [&](std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return op.find(part) != op.npos; });
  };
  if (any({"MatMul", "Conv", "Einsum", "Dot"})) return 0;
  if (any({"Softmax", "Xent", "CrossEntropy"})) return 5;
  if (any({"Variable", "Assign", "Apply"})) return 4;
  if (op == "Sum" || op == "Mean" || op == "Max" || op == "Min" || op == "Prod" ||
      any({"Reduce", "ArgM", "All", "Any"}))
    return 2;
  if (any({"Reshape", "Transpose", "Slice", "Concat", "Pack", "Pad", "Gather", "Scatter", "Tile", "Broadcast",
           "Fill", "Shape", "Squeeze", "ExpandDims", "Cast", "Split", "Zeros", "Ones"}))
    return 3;
  return row.elementwise || any({"Grad", "Add", "Sub", "Mul", "Div", "Relu", "Select", "Bias"}) ? 1 : 6;
}

class Maker {
 public:
  explicit Maker(const SceneInput& input) : in_(input), p_(*input.picture), boxes_(p_.layout.boxes) {}

  GraphScene make() {
    const std::size_t n = boxes_.size();
    sums_.resize(n);
    scene_.state.assign(n, BoxState::done);
    scene_.mark.assign(n, BoxMark::none);
    scene_.value.assign(n, NAN);
    scene_.dimmed.assign(n, 0);
    scene_.gradient_text.resize(n);
    scene_.gradient_state.assign(n, 0);
    scene_.broken.assign(n, 0);
    scene_.cut_wire.assign(p_.layout.wires.size(), 0);
    const OpFilter filter(in_.filter);
    scene_.filtered = !filter.empty();
    add_up(filter);
    for (std::uint32_t i = 0; i < n; ++i) {
      if (boxes_[i].kind == BoxKind::Gradient) tell_gradient(i);
      else set_state(i);
      if (p_.comparing()) set_mark(i);
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      if (boxes_[i].kind == BoxKind::Pass && boxes_[i].mirror != kNone)
        scene_.mark[i] = scene_.mark[boxes_[i].mirror];
      if (filter.empty()) break;
      scene_.dimmed[i] = !sums_[i].matches;
    }
    if (in_.now_op != kNoOp) place_cursor();
    set_values();
    if (in_.snapshot != nullptr && !p_.comparing()) {
      scene_.cuts = find_cuts(p_, in_.program, in_.snapshot->gradients);
      for (const CutMark& cut : scene_.cuts) {
        if (cut.edge_box != kNone) scene_.broken[cut.edge_box] = 1;
        if (cut.source_box != kNone) scene_.broken[cut.source_box] = 1;
        for (const std::uint32_t wire : cut.cut_wires) scene_.cut_wire[wire] = 1;
      }
    }
    return std::move(scene_);
  }

 private:
  void add_up(const OpFilter& filter) {
    for (std::uint32_t node = 0; node < p_.model.nodes.size(); ++node) {
      const std::uint32_t box = p_.layout.box_of(node);
      if (box == kNone) continue;
      Sum& sum = sums_[box];
      const ModelNode& at = p_.model.nodes[node];
      const std::uint32_t op = at.op(in_.program);
      if (at.op(1 - in_.program) != kNoOp) ++sum.other_ops;
      if (op == kNoOp) {
        sum.matches = sum.matches || (!at.source.empty() && filter.matches_text(at.source));
        continue;
      }
      const OpRow& row = in_.step != nullptr ? in_.step->row(op) : p_.view(in_.program).ops[op];
      ++sum.ops;
      if (sum.a_op == kNoOp) sum.a_op = op;
      if (in_.step != nullptr && in_.step->paused && !in_.step->has_run(op)) ++sum.pending;
      const OpMedians& medians = p_.medians[static_cast<std::size_t>(in_.program)];
      sum.own_us += medians.run_us[op];
      sum.saved += static_cast<double>(row.saved_bytes);
      if (row.direction == Direction::backward) sum.backward_us += medians.own_us[op];
      else sum.forward_us += medians.run_us[op];
      sum.matches = sum.matches || filter.empty() || filter.matches(row);
      if (p_.comparing() && at.a != kNoOp && at.b != kNoOp) {
        const OpRow &x = p_.a->ops[at.a], &y = p_.b->ops[at.b];
        sum.changed =
            sum.changed || x.types != y.types || x.output_type != y.output_type || x.dtype != y.dtype;
      }
    }
  }

  void set_state(std::uint32_t box) {
    const Sum& sum = sums_[box];
    const Box& at = boxes_[box];
    if (at.kind == BoxKind::Pass) {
      const bool passed =
          at.first_op != kNone && backward_walked(p_.model.nodes[at.first_op].op(in_.program));
      scene_.state[box] = passed ? BoxState::done : BoxState::pending;
    } else if (sum.ops > 0) {
      scene_.state[box] = sum.pending == sum.ops ? BoxState::pending : BoxState::done;
    } else if (p_.comparing() && at.kind != BoxKind::Portal && sum.other_ops > 0) {
      scene_.state[box] = BoxState::absent;
    }
  }

  bool backward_walked(std::uint32_t forward_op) const {
    if (in_.step == nullptr || !in_.step->paused || forward_op == kNoOp) return true;
    const StepView& view = p_.view(in_.program);
    const std::uint32_t walk = view.ops[forward_op].backward_step;
    return walk != kNoOp && view.backward_steps[walk].node >= 0 &&
           view.backward_steps[walk].node < static_cast<std::int64_t>(in_.step->position);
  }

  void set_mark(std::uint32_t box) {
    const Sum& sum = sums_[box];
    const BoxKind kind = boxes_[box].kind;
    if (kind == BoxKind::Portal || kind == BoxKind::Pass) return;
    if (sum.ops > 0 && sum.other_ops == 0) scene_.mark[box] = BoxMark::only;
    else if (sum.ops == 0 && sum.other_ops > 0) scene_.mark[box] = BoxMark::missing;
    else if (sum.ops != sum.other_ops || sum.changed) scene_.mark[box] = BoxMark::changed;
  }

  void tell_gradient(std::uint32_t box) {
    std::string& text = scene_.gradient_text[box];
    scene_.state[box] = BoxState::pending;
    const std::uint32_t leaf =
        boxes_[box].mirror != kNone ? boxes_[boxes_[box].mirror].first_op : boxes_[box].first_op;
    if (leaf == kNone || in_.snapshot == nullptr) return;
    const ModelNode& node = p_.model.nodes[leaf];
    TensorId id = node.source_id;
    std::string_view name = node.source;
    if (node.op(in_.program) != kNoOp) {
      const StepView& view = p_.view(in_.program);
      const OpRow& read = view.ops[node.op(in_.program)];
      id = read.inputs > 0 ? view.inputs[read.first_input] : read.output;
      name = read.tensor_name;
    }
    const auto& rows = in_.snapshot->gradients;
    const auto fits = [&](const GradientRow& r) {
      return r.source_id == id || (node.source_id == id && r.source == name);
    };
    const auto row = std::find_if(rows.begin(), rows.end(), fits);
    if (row == rows.end()) {
      text = "not asked";
      return;
    }
    scene_.gradient_state[box] = static_cast<std::uint8_t>(row->status) + 1;
    if (row->status == GradientStatus::none) {
      text = "∅ None";
      scene_.broken[box] = 1;
      scene_.state[box] = BoxState::done;
      return;
    }
    if (in_.step != nullptr && in_.step->paused && in_.frame != nullptr &&
        in_.frame->cursor < in_.frame->cursor_count) {
      const Arrived* const arrived =
          arrived_at(in_.frame->arrived, in_.frame->frame, *row, &p_.view(in_.program));
      const bool some = arrived != nullptr && !arrived->parts.empty();
      text = some ? "norm " + format_value(arrived->sum.norm) : "pending";
      scene_.state[box] = some ? BoxState::done : BoxState::pending;
      return;
    }
    scene_.state[box] = BoxState::done;
    if (row->status == GradientStatus::zero) text = "0 zero";
    else if (row->status == GradientStatus::unconnected_zero) text = "0 unconnected";
    else if (row->status == GradientStatus::nonfinite) text = "✗ not finite";
    else text = row->has_stats ? "norm " + format_value(row->norm) : "value";
    if (row->has_stats) norms_.push_back({box, row->norm});
  }

  void place_cursor() {
    std::uint32_t box = p_.box_of(in_.program, in_.now_op);
    if (box == kNone) return;
    if (in_.now_backward_step != kNoOp) {
      const BackwardStep& walk = p_.view(in_.program).backward_steps[in_.now_backward_step];
      const std::uint32_t own = walk.ops > 0 ? p_.box_of(in_.program, walk.first_op) : kNone;
      box = own != kNone ? own : boxes_[box].mirror != kNone ? boxes_[box].mirror : box;
    }
    scene_.now_box = box;
    scene_.state[box] = BoxState::now;
  }

  int class_index(const std::string& name) {
    const auto found = std::find(scene_.classes.begin(), scene_.classes.end(), name);
    if (found != scene_.classes.end()) return static_cast<int>(found - scene_.classes.begin());
    scene_.classes.push_back(name);
    return static_cast<int>(scene_.classes.size()) - 1;
  }

  void set_values() {
    const StepView& view = p_.view(in_.program);
    if (in_.colour == GraphColour::family) scene_.classes.assign(std::begin(kFamilies), std::end(kFamilies));
    double most = 0;
    for (std::uint32_t i = 0; i < boxes_.size(); ++i) {
      const Sum& sum = sums_[i];
      const BoxKind kind = boxes_[i].kind;
      if (sum.ops == 0 || kind == BoxKind::Variable || kind == BoxKind::Gradient) continue;
      const std::uint32_t m = boxes_[i].mirror;
      const double forward = sum.forward_us + (m != kNone ? sums_[m].forward_us : 0);
      const double backward = sum.backward_us + (m != kNone ? sums_[m].backward_us : 0);
      double value = NAN;
      switch (in_.colour) {
        case GraphColour::cost: value = sum.own_us; break;
        case GraphColour::forward_cost: value = forward; break;
        case GraphColour::backward_cost: value = backward; break;
        case GraphColour::ratio: value = forward > 0 && backward > 0 ? backward / forward : NAN; break;
        case GraphColour::saved: value = sum.saved + (m != kNone ? sums_[m].saved : 0); break;
        case GraphColour::gradient_norm: break;
        case GraphColour::dtype: value = class_index(std::string(view.ops[sum.a_op].dtype)); break;
        case GraphColour::family: value = family_of(view.ops[sum.a_op]); break;
        case GraphColour::count_: break;
      }
      scene_.value[i] = static_cast<float>(value);
      if (std::isfinite(value)) most = std::max(most, value);
    }
    if (in_.colour == GraphColour::gradient_norm) {
      for (const auto& [box, norm] : norms_) {
        scene_.value[box] = static_cast<float>(norm);
        if (boxes_[box].mirror != kNone) scene_.value[boxes_[box].mirror] = static_cast<float>(norm);
        if (std::isfinite(norm)) most = std::max(most, norm);
      }
    }
    scene_.low = 0;
    scene_.high = scene_.classes.empty() ? scale_end(most) : static_cast<double>(scene_.classes.size());
  }

  const SceneInput& in_;
  const GraphPicture& p_;
  const std::vector<Box>& boxes_;
  std::vector<Sum> sums_;
  std::vector<std::pair<std::uint32_t, double>> norms_;
  GraphScene scene_;
};

}  // namespace

const GraphColourText& text_of(GraphColour colour) {
  static constexpr GraphColourText kTexts[] = {{"cost", "time", "µs"},
                                               {"forward-cost", "forward cost", "µs"},
                                               {"backward-cost", "backward cost", "µs"},
                                               {"ratio", "backward / forward", ""},
                                               {"saved", "saved for backward", "B"},
                                               {"norm", "gradient norm", ""},
                                               {"dtype", "dtype", ""},
                                               {"family", "op family", ""}};
  return kTexts[static_cast<std::size_t>(colour) % std::size(kTexts)];
}

GraphScene make_scene(const SceneInput& input) { return Maker(input).make(); }

}  // namespace tapescope::ui
