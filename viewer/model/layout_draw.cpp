// Boxes, and the short wires inside a cell.
#include "viewer/model/layout_draw.h"

#include <algorithm>

namespace tapescope::layout::detail {
namespace {

enum KeySalt : uint64_t { kBackwardKey = 1, kGradientKey, kPortalKey, kPortalGradientKey };
constexpr float kHalfHeight = 18;  // two in the height of a box, 2 px apart
// Wires beside a row: within the narrowest gap, and within the 14 px that tracks keep off the axis.
constexpr uint32_t kSideLanes = 4;
constexpr float kSidePitch = 4;

}  // namespace

void Drawing::cover(float left, float top, float right, float bottom) {
  const float old_right = layout.left + layout.width, old_bottom = layout.top + layout.height;
  const bool empty = layout.width == 0 && layout.height == 0;
  layout.left = empty ? left : std::min(layout.left, left);
  layout.top = empty ? top : std::min(layout.top, top);
  layout.width = (empty ? right : std::max(old_right, right)) - layout.left;
  layout.height = (empty ? bottom : std::max(old_bottom, bottom)) - layout.top;
}

BoxKind Drawing::op_kind(const Cell& cell) const {
  if (cell.group == kNone) return BoxKind::Op;
  return cells.groups.list[cell.group].members > 0 ? BoxKind::Series : BoxKind::Scope;
}

uint32_t Drawing::new_box(uint32_t index, Lane lane, BoxKind kind, uint64_t key) {
  const Cell& cell = cells.cells[index];
  Box box;
  box.key = key, box.row = cell.row, box.cell = index, box.lane = lane, box.kind = kind;
  box.y = layout.row_y[cell.row], box.h = kBoxHeight;
  box.w = lane == Lane::Forward || lane == Lane::Backward ? kBoxWidth : kLeafWidth;
  switch (lane) {
    case Lane::Variables: box.x = -cell.out; break;
    case Lane::Forward: box.x = kForwardX - cell.out; break;
    case Lane::Backward: box.x = kBackwardX + cell.out; break;
    case Lane::Gradients: box.x = kGradientX + cell.out; break;
  }
  if (cell.group != kNone && (lane == Lane::Forward || lane == Lane::Backward)) {
    box.scope = cells.groups.list[cell.group].scope;
    box.members = cells.groups.list[cell.group].members;
  }
  cover(box.x, box.y, box.x + box.w, box.y + box.h);
  layout.boxes.push_back(box);
  return uint32_t(layout.boxes.size() - 1);
}

void Drawing::attach(uint32_t op, uint32_t index) {
  Box& box = layout.boxes[index];
  layout.op_box[op] = index;
  if (box.count++ == 0) box.first_op = op;
  else layout.next_op[box.last_op] = op;
  box.last_op = op;
}

void Drawing::add_cell(uint32_t index) {
  Cell& cell = cells.cells[index];
  if (!cell.leaf_only && cell.dir == Op::Forward)
    cell.forward_box = new_box(index, Lane::Forward, op_kind(cell), cell.key);
  add_slots(index);
}

void Drawing::add_slots(uint32_t index) {
  const Cell& cell = cells.cells[index];
  const bool half = cell.slot_count > 1 || cell.group != kNone;
  uint32_t n = 0, lower = kNone;
  for (uint32_t s = cell.first_slot; s != kNone; s = cells.slots[s].next, ++n) {
    Slot& slot = cells.slots[s];
    if (slot.box == kNone && lower != kNone) {
      slot.box = lower;
      if (!slot.portal) layout.boxes[lower].kind = BoxKind::Variable;
      else if (layout.boxes[lower].kind == BoxKind::Portal) ++layout.boxes[lower].count;
    } else if (slot.box == kNone) {
      const uint64_t key = graph.ops[slot.op].key;
      slot.box = new_box(index, Lane::Variables, slot.portal ? BoxKind::Portal : BoxKind::Variable,
                         slot.portal ? mix(mix(cell.key, key), kPortalKey) : key);
      Box& box = layout.boxes[slot.box];
      if (half) box.h = kHalfHeight, box.y += n == 0 ? 0 : kBoxHeight - kHalfHeight;
      if (slot.portal)
        box.first_op = box.last_op = slot.op, box.count = 1, box.source_box = layout.op_box[slot.op];
      if (cell.forward_box != kNone) {
        const float y = box.y + box.h / 2;
        const Point path[] = {{box.x + box.w, y}, {layout.boxes[cell.forward_box].x, y}};
        add_wire(slot.box, cell.forward_box, WireKind::Variable, path, false, 1);
      }
    }
    if (n == 1) lower = slot.box;
    if (!slot.portal && graph.ops[slot.op].wants_gradient) ensure_gradient(s);
  }
}

void Drawing::add_op(uint32_t op) {
  const uint32_t cell = cells.cell_of[op];
  switch (cells.role[op]) {
    case Role::Waiting: break;
    case Role::Head:
      // A group may begin with a backward op.
      if (uint32_t& box = cells.cells[cell].forward_box; box == kNone)
        box = new_box(cell, Lane::Forward, op_kind(cells.cells[cell]), cells.cells[cell].key);
      attach(op, cells.cells[cell].forward_box);
      break;
    case Role::Leaf: {
      Box& box = layout.boxes[cells.slots[cells.slot_of[op]].box];
      if (box.kind == BoxKind::Variable && box.count > 0 &&
          layout.box_of(box.first_op) != cells.slots[cells.slot_of[op]].box)
        box.count = 0;  // it was made for a portal
      attach(op, cells.slots[cells.slot_of[op]].box);
      break;
    }
    case Role::Back:
      ensure_backward(cell, op_kind(cells.cells[cell]));
      attach(op, cells.cells[cell].backward_box);
      if (cells.cells[cell].seed && !cells.cells[cell].turn_drawn) draw_turn(cell);
      break;
    case Role::Grad:
      ensure_gradient(cells.slot_of[op]);
      attach(op, cells.slots[cells.slot_of[op]].gradient_box);
      break;
  }
}

void Drawing::ensure_backward(uint32_t index, BoxKind kind) {
  Cell& cell = cells.cells[index];
  if (cell.backward_box != kNone) {
    Box& box = layout.boxes[cell.backward_box];
    if (box.kind == BoxKind::Pass && kind != BoxKind::Pass) box.kind = kind;
    return;
  }
  cell.backward_box = new_box(index, Lane::Backward, kind, mix(cell.key, kBackwardKey));
  Box& box = layout.boxes[cell.backward_box];
  box.first_op = cell.head;
  box.mirror = cell.forward_box;
  if (cell.forward_box != kNone) layout.boxes[cell.forward_box].mirror = cell.backward_box;
  for (uint32_t s = cell.first_slot; s != kNone; s = cells.slots[s].next) {
    const Slot& slot = cells.slots[s];
    if (slot.portal && graph.ops[slot.op].wants_gradient) ensure_gradient(s);
    else if (slot.gradient_box != kNone) connect_gradient(s);
  }
}

void Drawing::ensure_gradient(uint32_t index) {
  Slot& slot = cells.slots[index];
  if (slot.gradient_box != kNone) return;
  const Cell& cell = cells.cells[slot.cell];
  for (uint32_t s = cell.first_slot; s != kNone; s = cells.slots[s].next)
    if (cells.slots[s].box == slot.box && cells.slots[s].gradient_box != kNone) {
      slot.gradient_box = cells.slots[s].gradient_box;
      if (!slot.portal && layout.boxes[slot.gradient_box].kind == BoxKind::Portal) {
        Box& shared = layout.boxes[slot.gradient_box];
        shared.kind = BoxKind::Gradient, shared.count = 0, shared.first_op = slot.op;
      }
      return;
    }
  const uint64_t key = graph.ops[slot.op].key;
  slot.gradient_box =
      new_box(slot.cell, Lane::Gradients, slot.portal ? BoxKind::Portal : BoxKind::Gradient,
              slot.portal ? mix(mix(cell.key, key), kPortalGradientKey) : mix(key, kGradientKey));
  Box &box = layout.boxes[slot.gradient_box], &leaf = layout.boxes[slot.box];
  box.y = leaf.y, box.h = leaf.h, box.mirror = slot.box, leaf.mirror = slot.gradient_box;
  box.first_op = slot.op;
  if (slot.portal) {
    box.last_op = slot.op, box.count = 1;
    if (const uint32_t home = cells.slot_of[slot.op]; home != kNone)
      box.source_box = cells.slots[home].gradient_box;
  }
  if (cell.backward_box != kNone) connect_gradient(index);
}

void Drawing::connect_gradient(uint32_t index) {
  const Slot& slot = cells.slots[index];
  const Cell& cell = cells.cells[slot.cell];
  for (uint32_t s = cell.first_slot; s != index; s = cells.slots[s].next)
    if (cells.slots[s].gradient_box == slot.gradient_box) return;  // drawn for the slot that made the box
  const Box &from = layout.boxes[cell.backward_box], &to = layout.boxes[slot.gradient_box];
  const float y = to.y + to.h / 2;
  const Point path[] = {{from.x + from.w, y}, {to.x, y}};
  add_wire(cell.backward_box, slot.gradient_box, WireKind::Gradient, path, false, 1);
}

// Where a sweep begins: from the target over to its backward op, on the row if nothing can stand between.
void Drawing::draw_turn(uint32_t index) {
  Cell& cell = cells.cells[index];
  if (cell.forward_box == kNone || cell.backward_box == kNone) return;
  cell.turn_drawn = true;
  const Box &from = layout.boxes[cell.forward_box], &to = layout.boxes[cell.backward_box];
  const float y = from.y + kBoxHeight * 0.75f, below = from.y + kBoxHeight + 5, x = from.x + kBoxWidth - 8;
  if (cell.out == 0) {
    const Point path[] = {{from.x + from.w, y}, {to.x, y}};
    return add_wire(cell.forward_box, cell.backward_box, WireKind::Backward, path, false, 1);
  }
  const Point path[] = {
      {x, from.y + kBoxHeight}, {x, below}, {mirror_x(x), below}, {mirror_x(x), to.y + kBoxHeight}};
  add_wire(cell.forward_box, cell.backward_box, WireKind::Backward, path, false, 1);
}

void Drawing::add_passes(uint32_t edge) {
  for (uint32_t cell : {cells.edges[edge].from, cells.edges[edge].to})
    if (cells.cells[cell].dir == Op::Forward && !cells.cells[cell].leaf_only)
      ensure_backward(cell, BoxKind::Pass);
}

void Drawing::add_wire(uint32_t from_box, uint32_t to_box, WireKind kind, std::span<const Point> path,
                       bool track, uint32_t count) {
  Wire wire;
  wire.from_box = from_box, wire.to_box = to_box, wire.kind = kind, wire.track = track, wire.count = count;
  wire.first_point = uint32_t(layout.points.size()), wire.point_count = uint32_t(path.size());
  wire.left = wire.right = path[0].x, wire.top = wire.bottom = path[0].y;
  for (const Point& p : path) {
    layout.points.push_back(p);
    wire.left = std::min(wire.left, p.x), wire.right = std::max(wire.right, p.x);
    wire.top = std::min(wire.top, p.y), wire.bottom = std::max(wire.bottom, p.y);
  }
  cover(wire.left, wire.top, wire.right, wire.bottom);
  layout.wires.push_back(wire);
}

void Drawing::add_edge_wire(const CellEdge& edge, bool track, const std::vector<Point>& path) {
  const Cell &from = cells.cells[edge.from], &to = cells.cells[edge.to];
  add_wire(from.forward_box, to.forward_box, WireKind::Forward, path, track, edge.count);
  if (edge.backward) add_mirror(edge, track, path);
}

void Drawing::add_mirror(const CellEdge& edge, bool track, const std::vector<Point>& path) {
  const Cell &from = cells.cells[edge.from], &to = cells.cells[edge.to];
  if (from.backward_box == kNone || to.backward_box == kNone) return;
  std::vector<Point> mirrored(path.rbegin(), path.rend());
  for (Point& p : mirrored) p.x = mirror_x(p.x);
  add_wire(to.backward_box, from.backward_box, WireKind::Backward, mirrored, track, edge.count);
}

void Drawing::add_crossing(uint32_t edge) {
  const CellEdge& e = cells.edges[edge];
  add_side_wire(cells.cells[e.from].backward_box, cells.cells[e.to].forward_box, WireKind::Forward, edge);
}

void Drawing::add_stray(uint32_t stray) {
  const Stray& s = cells.strays[stray];
  add_side_wire(cells.cells[s.from].backward_box, cells.cells[s.to].backward_box, WireKind::Backward, stray);
}

// In the gaps beside the rows, and along the axis; wires of different numbers side by side.
void Drawing::add_side_wire(uint32_t from_box, uint32_t to_box, WireKind kind, uint32_t number) {
  if (from_box == kNone || to_box == kNone || from_box == to_box) return;
  const Box &from = layout.boxes[from_box], &to = layout.boxes[to_box];
  // Off the middle, where the mirrored wires end; a cell of the right half alone has none.
  const auto port = [&](const Box& box) {
    return box.x + (is_backward_only(cells.cells[box.cell]) ? box.w / 2 : box.w - 15);
  };
  const float x0 = port(from), x1 = port(to);
  const float lane = float(number % kSideLanes), beside = 4 + kSidePitch * lane;
  // Between neighbouring rows there is a separate gap.
  if (to.row + 1 == from.row) {
    const float gap = from.y - beside;
    const Point direct[] = {{x0, from.y}, {x0, gap}, {x1, gap}, {x1, to.y + to.h}};
    return add_wire(from_box, to_box, kind, direct, true, 1);
  }
  const bool down = to.row > from.row || (to.row == from.row && to.x != from.x);
  const float y0 = down ? from.y + from.h : from.y, y1 = down && to.row > from.row ? to.y : to.y + to.h;
  const float step = down ? beside : -beside, last = down && to.row > from.row ? -beside : beside;
  const float axis = kAxis + kSidePitch * (lane - (kSideLanes - 1) / 2.f);
  const Point path[] = {{x0, y0},          {x0, y0 + step}, {axis, y0 + step},
                        {axis, y1 + last}, {x1, y1 + last}, {x1, y1}};
  add_wire(from_box, to_box, kind, path, true, 1);
}

void Drawing::finish_portals() {
  for (Slot& slot : cells.slots) {
    if (!slot.portal) continue;
    if (Box& box = layout.boxes[slot.box]; box.kind == BoxKind::Portal && box.source_box == kNone)
      box.source_box = layout.box_of(box.first_op);
    if (slot.gradient_box == kNone || layout.boxes[slot.gradient_box].kind != BoxKind::Portal) continue;
    if (const uint32_t home = cells.slot_of[slot.op]; home != kNone)
      layout.boxes[slot.gradient_box].source_box = cells.slots[home].gradient_box;
  }
}

}  // namespace tapescope::layout::detail
