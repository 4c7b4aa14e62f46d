// Lays a step out and writes what stands in each box.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "viewer/model/units.h"
#include "viewer/panels/graph_scene.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

using layout::Box;
using layout::BoxKind;
using layout::kNone;
using layout::Lane;

constexpr std::uint32_t kMostBoxes = 300;  // forward boxes that are open at first; more than fill a screen

// Op types that are too long for a box, as people call them.
std::string short_op(std::string_view op) {
  if (op == "SoftmaxCrossEntropyWithLogits") return "SoftmaxXent";
  if (op == "SparseSoftmaxCrossEntropyWithLogits") return "SparseSoftmaxXent";
  if (op.starts_with("ResourceApply")) return std::string(op.substr(8));
  return std::string(op);
}

// With its number among others of its kind, as alerts and tables call it: "MatMul_48".
std::string title_of(const OpRow& row) {
  const std::size_t slash = row.name.rfind('/');
  std::string_view name(row.name);
  if (slash != std::string::npos) name.remove_prefix(slash + 1);
  const bool numbered = name.starts_with(row.op) && name.substr(row.op.size()).starts_with('_');
  return short_op(row.op) + std::string(numbered ? name.substr(row.op.size()) : std::string_view());
}

std::string_view last_part(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string in_and_out(const OpRow& row) {
  // Types that no event holds stand as "?": the output says more.
  if (row.types.empty() || row.types.find('?') != std::string_view::npos) return std::string(row.output_type);
  if (row.types == row.output_type || row.types.find(" · ") != std::string_view::npos)
    return std::string(row.types);
  return fmt::format("{} → {}", row.types, row.output_type);
}

class Writer {
 public:
  explicit Writer(const GraphPicture& picture) : p_(picture) {}

  BoxText write(int program, std::uint32_t box) const {
    const Box& at = p_.layout.boxes[box];
    switch (at.kind) {
      case BoxKind::Op:
      case BoxKind::Scope:
      case BoxKind::Series: {
        BoxText text = at.kind == BoxKind::Scope    ? scope(program, box)
                       : at.kind == BoxKind::Series ? series(program, box)
                       : at.lane == Lane::Backward  ? backward(program, box)
                                                    : forward(program, box);
        text.figure = figure(program, box);
        return text;
      }
      case BoxKind::Portal: return {leaf_name(program, at.first_op), {}, {}, {}};
      case BoxKind::Variable: return variable(program, box);
      case BoxKind::Gradient:
        return {"d " + variable(program, at.mirror != kNone ? at.mirror : box).title, {}, {}, {}};
      case BoxKind::Pass: return {"passes on", {}, {}, {}};
    }
    return {};
  }

 private:
  // The op to describe where a program lacks it: the other one's.
  const OpRow* row(int program, std::uint32_t node) const {
    if (node >= p_.model.nodes.size()) return nullptr;
    const ModelNode& n = p_.model.nodes[node];
    for (const int q : {program, 1 - program}) {
      if (n.op(q) != kNoOp) return &p_.view(q).ops[n.op(q)];
    }
    return nullptr;
  }
  std::string name_of_scope(std::uint32_t scope) const {
    return scope < p_.model.scope_names.size() ? p_.model.scope_names[scope] : std::string();
  }
  std::string leaf_name(int program, std::uint32_t node) const {
    const OpRow* op = row(program, node);
    if (op == nullptr) return node < p_.model.nodes.size() ? p_.model.nodes[node].source : std::string();
    return op->tensor_name.empty() ? title_of(*op) : std::string(op->tensor_name);
  }

  BoxText forward(int program, std::uint32_t box) const {
    const OpRow* op = row(program, p_.layout.boxes[box].first_op);
    if (op == nullptr) return {leaf_name(program, p_.layout.boxes[box].first_op), {}, {}, {}};
    const std::string_view tag = op->scope.empty() ? op->tensor_name : last_part(op->scope);
    return {title_of(*op), std::string(tag), in_and_out(*op), {}};
  }
  // The box's time; of a comparison B's stands beside its change against A's. Where a program lacks the box,
  // the other one's.
  std::string figure(int program, std::uint32_t box) const {
    const double own = p_.us_of(program, box), other = p_.comparing() ? p_.us_of(1 - program, box) : NAN;
    if (std::isnan(own)) return std::isnan(other) ? std::string() : format_us(other);
    return program == 0 ? format_us(own) : format_us_beside(own, other);
  }

  BoxText backward(int program, std::uint32_t box) const {
    const std::vector<std::uint32_t> own = p_.ops_of(program, box);
    const int q = own.empty() ? 1 - program : program;
    const std::vector<std::uint32_t> ops = own.empty() && p_.comparing() ? p_.ops_of(q, box) : own;
    if (ops.empty()) return {};
    const StepView& view = p_.view(q);
    const std::vector<double>& own_us = p_.medians[static_cast<std::size_t>(q)].own_us;
    const std::uint32_t longest =
        *std::ranges::max_element(ops, {}, [&](std::uint32_t op) { return own_us[op]; });
    std::size_t same = 0;
    std::string shapes;
    for (const std::uint32_t op : ops) {
      if (view.ops[op].op_id != view.ops[longest].op_id) continue;
      ++same;
      const std::string_view out = view.ops[op].output_type;
      if (!shapes.empty() && (shapes == out || shapes.ends_with(fmt::format(", {}", out)))) continue;
      shapes += fmt::format("{}{}", shapes.empty() ? "" : ", ", out);
    }
    BoxText text;
    text.title = short_op(view.ops[longest].op);
    if (same > 1) text.title += fmt::format(" ×{}", same);
    if (ops.size() > same) text.title += fmt::format(" +{}", ops.size() - same);
    const std::uint32_t partner = view.ops[longest].partner;
    if (partner != kNoOp) text.tag = "∂" + title_of(view.ops[partner]);
    text.shapes = ops.size() == 1 ? in_and_out(view.ops[longest]) : shapes;
    return text;
  }

  BoxText scope(int program, std::uint32_t box) const {
    const Box& at = p_.layout.boxes[box];
    const std::vector<std::uint32_t> ops = p_.ops_of(program, box);
    return {(at.lane == Lane::Backward ? "∂ " : "") + name_of_scope(at.scope),
            "scope",
            fmt::format("{} ops", ops.size()),
            {}};
  }

  // Alike: what all of them cost together.
  BoxText series(int program, std::uint32_t box) const {
    const Box& at = p_.layout.boxes[box];
    const std::vector<std::uint32_t> ops = p_.ops_of(program, box);
    return {(at.lane == Lane::Backward ? "∂ × " : "× ") + fmt::format("{}", at.members),
            name_of_scope(at.scope),
            fmt::format("{} ops", ops.size()),
            {}};
  }

  BoxText variable(int program, std::uint32_t box) const {
    const Box& at = p_.layout.boxes[box];
    if (at.count > 1) {
      std::string names;
      for (const std::uint32_t node : p_.layout.ops_of(box)) {
        names += (names.empty() ? "" : ", ") + leaf_name(program, node);
      }
      return {fmt::format("{} inputs", at.count), {}, names, {}};
    }
    const OpRow* op = row(program, at.first_op);
    if (op != nullptr) return {leaf_name(program, at.first_op), {}, std::string(op->output_type), {}};
    const std::string_view shape = p_.model.nodes[at.first_op].source_shape;
    const bool known = !shape.empty() && shape != "?";
    return {leaf_name(program, at.first_op), {}, known ? std::string(shape) : "tensor", {}};
  }

  const GraphPicture& p_;
};

}  // namespace

std::uint32_t GraphPicture::box_of(int program, std::uint32_t op) const {
  const std::uint32_t node = model.node_at(program, op);
  return node == kNone ? kNone : layout.box_of(node);
}

std::vector<std::uint32_t> GraphPicture::ops_of(int program, std::uint32_t box) const {
  std::vector<std::uint32_t> ops;
  const Box& at = layout.boxes[box];
  if (at.kind == BoxKind::Portal || at.kind == BoxKind::Pass || at.count == 0) return ops;
  for (const std::uint32_t node : layout.ops_of(box)) {
    const std::uint32_t op = model.nodes[node].op(program);
    if (op != kNoOp) ops.push_back(op);
  }
  return ops;
}

double GraphPicture::us_of(int program, std::uint32_t box) const {
  const Box& at = layout.boxes[box];
  const OpMedians& of = medians[static_cast<std::size_t>(program)];
  if (at.kind == BoxKind::Op && at.lane != Lane::Backward) {
    const std::uint32_t op = at.first_op < model.nodes.size() ? model.nodes[at.first_op].op(program) : kNoOp;
    return op == kNoOp ? NAN : of.run_us[op];
  }
  const std::vector<std::uint32_t> ops = ops_of(program, box);
  if (ops.empty()) return NAN;
  double us = 0;
  for (const std::uint32_t op : ops) us += of.own_us[op];
  return us;
}

std::shared_ptr<const GraphPicture> make_picture(std::shared_ptr<const StepView> a,
                                                 std::shared_ptr<const StepView> b,
                                                 const std::array<Steps, 2>& recent, const Folds& folds,
                                                 const GraphPicture* previous, bool grows,
                                                 std::stop_token stop) {
  auto picture = std::make_shared<GraphPicture>();
  picture->a = std::move(a);
  picture->b = std::move(b);
  picture->grows = grows;
  picture->medians[0] = op_medians(*picture->a, recent[0]);
  if (picture->b != nullptr) picture->medians[1] = op_medians(*picture->b, recent[1]);
  picture->model = build_graph(*picture->a, picture->b.get());
  if (stop.stop_requested()) return nullptr;
  layout::Options options;
  options.live = grows;  // a variable's place is beside its reader, which may not have run yet
  if (grows && !picture->a->ops.empty())  // where the program stands
    options.shown = picture->model.node_at(0, static_cast<std::uint32_t>(picture->a->ops.size() - 1));
  options.collapsed = layout::default_collapsed(picture->model.graph, kMostBoxes);
  options.collapsed.resize(picture->model.graph.scopes.size(), 0);
  for (std::size_t i = 0; i < options.collapsed.size(); ++i) {
    const auto fold = folds.find(picture->model.graph.scopes[i].key);
    if (fold != folds.end()) options.collapsed[i] = fold->second;
  }
  picture->layout =
      layout::compute(picture->model.graph, options, previous ? &previous->layout : nullptr, stop);
  if (picture->layout.cancelled) return nullptr;

  const auto& boxes = picture->layout.boxes;
  picture->by_top.resize(boxes.size());
  std::iota(picture->by_top.begin(), picture->by_top.end(), 0u);
  std::sort(picture->by_top.begin(), picture->by_top.end(),
            [&](std::uint32_t x, std::uint32_t y) { return boxes[x].y < boxes[y].y; });
  for (const Box& box : boxes) picture->tallest = std::max(picture->tallest, box.h);
  const Writer writer(*picture);
  for (int p = 0; p < (picture->b ? 2 : 1); ++p) {
    auto& texts = picture->texts[static_cast<std::size_t>(p)];
    texts.reserve(boxes.size());
    for (std::uint32_t i = 0; i < boxes.size(); ++i) texts.push_back(writer.write(p, i));
  }
  return picture;
}

}  // namespace tapescope::ui
