// Follows the path of each None row through the drawn boxes.
#include "viewer/panels/graph_cuts.h"

#include <algorithm>
#include <unordered_map>

#include "engine/explain/explain.h"

namespace tapescope::ui {
namespace {

using layout::kNone;
constexpr std::size_t kMostCuts = 32;  // red everywhere says nothing

class Finder {
 public:
  Finder(const GraphPicture& picture, int program) : p_(picture), program_(program) {
    const StepView& view = p_.view(program);
    for (std::uint32_t i = 0; i < view.ops.size(); ++i) {
      for (std::uint32_t k = 0; k < std::max(view.ops[i].outputs, 1u); ++k)
        op_of_[view.ops[i].output + k] = i;
    }
    for (std::uint32_t i = 0; i < p_.layout.wires.size(); ++i) into_[p_.layout.wires[i].to_box].push_back(i);
  }

  CutMark find(const GradientRow& row, std::uint32_t index) {
    CutMark cut;
    cut.source = row.source;
    cut.words = std::string(short_reason(row.reason));
    cut.row = index;
    cut.source_box = leaf_box(row.source_id);
    if (cut.source_box == kNone) cut.source_box = box_of_tensor(row.source_id);
    cut.edge_box = box_of_tensor(row.edge.output);
    if (cut.edge_box == kNone) cut.edge_box = leaf_box(row.edge.output);
    std::uint32_t reader = kNone;
    for (const PathItem& item : row.path) {
      const std::uint32_t box = box_of_tensor(item.output);
      if (box == kNone || box == cut.edge_box) continue;
      if (reader != kNone) add_wire(box, reader, cut.path_wires);
      reader = box;
    }
    if (cut.edge_box == kNone) cut.edge_box = cut.source_box;
    if (reader != kNone && cut.edge_box != kNone && cut.edge_box != cut.source_box) {
      add_wire(cut.edge_box, reader, cut.path_wires);
    }
    if (cut.source_box != kNone && cut.edge_box != kNone && cut.source_box != cut.edge_box) {
      cut.ghost = !add_way(cut.source_box, cut.edge_box, cut.cut_wires);
    } else if (cut.source_box != kNone && reader != kNone) {
      add_wire(cut.source_box, reader, cut.cut_wires);
    }
    return cut;
  }

 private:
  std::uint32_t leaf_box(TensorId id) const {
    const auto leaf = p_.model.leaves.find(id);
    return leaf == p_.model.leaves.end() ? kNone : p_.layout.box_of(leaf->second);
  }
  std::uint32_t box_of_tensor(TensorId id) const {
    const auto op = op_of_.find(id);
    return id == 0 || op == op_of_.end() ? kNone : p_.box_of(program_, op->second);
  }
  bool add_wire(std::uint32_t from, std::uint32_t to, std::vector<std::uint32_t>& wires) const {
    const auto found = into_.find(to);
    if (found == into_.end()) return false;
    for (const std::uint32_t wire : found->second) {
      const layout::Wire& at = p_.layout.wires[wire];
      const bool down = at.kind == layout::WireKind::Forward || at.kind == layout::WireKind::Variable;
      if (!down || at.from_box != from) continue;
      wires.push_back(wire);
      return true;
    }
    return false;
  }

  // All wires on a shortest way down from one box to another: what the gradient would have to climb.
  bool add_way(std::uint32_t from, std::uint32_t to, std::vector<std::uint32_t>& wires) const {
    std::unordered_map<std::uint32_t, std::uint32_t> next;  // by box: the wire towards `to`
    std::vector<std::uint32_t> open{to};
    for (std::size_t i = 0; i < open.size() && !next.contains(from); ++i) {
      const auto found = into_.find(open[i]);
      if (found == into_.end()) continue;
      for (const std::uint32_t wire : found->second) {
        const layout::Wire& at = p_.layout.wires[wire];
        const bool down = at.kind == layout::WireKind::Forward || at.kind == layout::WireKind::Variable;
        if (down && at.from_box != to && next.emplace(at.from_box, wire).second) open.push_back(at.from_box);
      }
    }
    if (!next.contains(from)) return false;
    for (std::uint32_t box = from; box != to; box = p_.layout.wires[next.at(box)].to_box)
      wires.push_back(next.at(box));
    return true;
  }

  const GraphPicture& p_;
  int program_;
  std::unordered_map<TensorId, std::uint32_t> op_of_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> into_;
};

}  // namespace

std::string_view short_reason(std::string_view reason) {
  if (const std::string_view words = short_words(reason); !words.empty()) return words;
  return reason.empty() ? std::string_view("no gradient arrives") : reason;
}

std::vector<CutMark> find_cuts(const GraphPicture& picture, int program, std::span<const GradientRow> rows) {
  std::vector<CutMark> cuts;
  const auto broken = [](const GradientRow& row) {
    return row.status == GradientStatus::none || row.status == GradientStatus::unconnected_zero;
  };
  if (std::none_of(rows.begin(), rows.end(), broken)) return cuts;
  Finder finder(picture, program);
  for (std::uint32_t i = 0; i < rows.size() && cuts.size() < kMostCuts; ++i) {
    if (broken(rows[i])) cuts.push_back(finder.find(rows[i], i));
  }
  return cuts;
}

}  // namespace tapescope::ui
