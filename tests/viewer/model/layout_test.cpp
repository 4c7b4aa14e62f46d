// Promises of the graph layout, on small tapes made here.
#include "viewer/model/layout.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <random>
#include <thread>

#include "tests/support/catch.h"
#include "tests/support/layout_tape.h"

using namespace tapescope::layout;
namespace {

// Dense layers in scopes, with backward ops and one update for each variable.
Graph mlp(uint32_t layers, bool scopes = true) {
  Tape tape;
  struct Layer {
    uint32_t w, b, product, sum, act, scope;
  };
  std::vector<Layer> made;
  uint32_t x = tape.add(0, {});
  tape.graph.ops[x].leaf_variable = true;
  const uint32_t root = scopes ? tape.scope() : kNone;
  for (uint32_t i = 0; i < layers; ++i) {
    Layer l;
    l.scope = scopes ? tape.scope(root, 77) : kNone;
    l.w = tape.variable(l.scope), l.b = tape.variable(l.scope);
    l.product = tape.add(2, {x, l.w}, l.scope), l.sum = tape.add(3, {l.product, l.b}, l.scope),
    l.act = tape.add(4, {l.sum}, l.scope);
    x = l.act;
    made.push_back(l);
  }
  uint32_t g = tape.add(5, {}, kNone, Op::Backward, x);
  std::vector<std::pair<uint32_t, uint32_t>> gradients;
  for (uint32_t i = layers; i-- > 0;) {
    const Layer& l = made[i];
    g = tape.add(6, {g, l.act}, kNone, Op::Backward, l.act);
    gradients.push_back({l.b, tape.add(7, {g}, kNone, Op::Backward, l.sum)});
    const uint32_t dw = tape.add(8, {g}, kNone, Op::Backward, l.product);
    gradients.push_back({l.w, dw});
    if (i > 0) g = tape.add(9, {g, l.w}, kNone, Op::Backward, l.product);
  }
  for (auto [v, dv] : gradients) tape.add(10, {v, dv}, kNone, Op::Update);
  return tape.graph;
}

Graph random_graph(uint32_t n, uint32_t seed, bool backward) {
  std::mt19937 rng(seed);
  Tape tape;
  for (uint32_t i = 0; i < n; ++i) {
    std::vector<uint32_t> inputs;
    for (uint32_t k = rng() % 3; k-- > 0 && i > 0;)
      inputs.push_back(i - 1 - rng() % std::min(i, rng() % 8 == 0 ? i : 9u));
    const bool leaf = inputs.empty();
    const uint32_t op = tape.add(2 + rng() % 5, inputs);
    tape.graph.ops[op].leaf_variable = leaf, tape.graph.ops[op].wants_gradient = leaf && rng() % 2;
    tape.graph.ops[op].recorded = rng() % 6 != 0;  // some are differentiated nevertheless
  }
  if (!backward) return tape.graph;
  std::vector<uint32_t> newest(n, kNone);
  const std::vector<Edge> forward = tape.graph.edges;
  for (uint32_t i = n; i-- > 0;) {
    if (rng() % 4 == 0) continue;
    std::vector<uint32_t> inputs;
    for (const Edge& e : forward)
      if (e.from == i && newest[e.to] != kNone) inputs.push_back(newest[e.to]);
    newest[i] = tape.add(20, inputs, kNone, Op::Backward, rng() % 20 == 0 ? kNone : i);
  }
  return tape.graph;
}

// Wires whose lines go through the inside of a box.
uint32_t wires_through_boxes(const Layout& layout) {
  uint32_t found = 0;
  for (const Wire& wire : layout.wires) {
    const auto p = layout.points_of(wire);
    bool hit = false;
    for (size_t i = 1; i < p.size(); ++i)
      for (const Box& box : layout.boxes)
        hit |= std::min(p[i].x, p[i - 1].x) < box.x + box.w - 0.1f &&
               std::max(p[i].x, p[i - 1].x) > box.x + 0.1f &&
               std::min(p[i].y, p[i - 1].y) < box.y + box.h - 0.1f &&
               std::max(p[i].y, p[i - 1].y) > box.y + 0.1f;
    found += hit;
  }
  return found;
}

void check_sound(const Layout& layout, const Graph& graph, bool every_op = true) {
  const Quality q = measure(layout);
  CHECK(q.overlaps == 0);
  CHECK(q.upward_edges == 0);
  CHECK(q.loose_ends == 0);
  CHECK(wires_through_boxes(layout) == 0);
  REQUIRE(layout.op_box.size() == graph.ops.size());
  std::vector<uint32_t> seen(graph.ops.size(), 0);
  for (uint32_t b = 0; b < layout.boxes.size(); ++b) {
    const Box& box = layout.boxes[b];
    CHECK((std::isfinite(box.x) && std::isfinite(box.y) && box.w > 0 && box.h > 0));
    CHECK(box.x >= layout.left);
    CHECK(box.x + box.w <= layout.left + layout.width + 0.5f);
    if (box.kind == BoxKind::Portal) continue;
    for (uint32_t op : layout.ops_of(b)) {
      CHECK(layout.box_of(op) == b);
      ++seen[op];
    }
  }
  for (uint32_t op = 0; op < graph.ops.size(); ++op)
    if (every_op || layout.op_box[op] != kNone) CHECK(seen[op] == 1);
}

void check_same_places(const Layout& before, const Layout& after) {
  std::map<uint64_t, const Box*> by_key;
  for (const Box& box : after.boxes) by_key[box.key] = &box;
  for (const Box& box : before.boxes) {
    const auto at = by_key.find(box.key);
    REQUIRE(at != by_key.end());
    CHECK(std::abs(at->second->x - box.x) <= 1);
    CHECK(std::abs(at->second->y - box.y) <= 1);
  }
}

Graph prefix(const Graph& graph, uint32_t ops) {
  Graph part = graph;
  part.ops.resize(ops);
  std::erase_if(part.edges, [&](const Edge& e) { return e.to >= ops; });
  return part;
}

std::vector<uint32_t> inputs_of(const Graph& graph, uint32_t op) {
  std::vector<uint32_t> inputs;
  for (const Edge& e : graph.edges)
    if (e.to == op) inputs.push_back(e.from);
  return inputs;
}

Incremental replay(const Graph& graph) {
  Incremental live;
  for (const Scope& s : graph.scopes) live.add_scope(s);
  for (uint32_t op = 0; op < graph.ops.size(); ++op) live.append(graph.ops[op], inputs_of(graph, op));
  return live;
}

}  // namespace

TEST_CASE("an empty graph has an empty layout", "[layout]") {
  const Layout layout = compute({}, {});
  CHECK(layout.boxes.empty());
  CHECK(layout.wires.empty());
  CHECK(layout.width == 0);
  CHECK_FALSE(layout.cancelled);
  CHECK(default_collapsed({}, 300).empty());
}

TEST_CASE("one op stands at the head of the forward lane", "[layout]") {
  Tape tape;
  tape.add(2, {});
  const Layout layout = compute(tape.graph, {});
  REQUIRE(layout.boxes.size() == 1);
  CHECK(layout.boxes[0].x == kForwardX);
  CHECK(layout.boxes[0].y == 0);
  CHECK(layout.box_at(kForwardX + 1, 1) == 0);
  CHECK(layout.box_at(kForwardX - 1, 1) == kNone);
}

TEST_CASE("a leaf that is not read is shown, but waits while the tape is live", "[layout]") {
  Tape tape;
  tape.variable();
  const Layout settled = compute(tape.graph, {});
  CHECK(settled.box_of(0) != kNone);
  check_sound(settled, tape.graph);
  CHECK(replay(tape.graph).layout().box_of(0) == kNone);
}

TEST_CASE("a dense network is the picture of the main window", "[layout]") {
  const Graph graph = mlp(3);
  const Layout layout = compute(graph, {});
  check_sound(layout, graph);
  CHECK(measure(layout).crossings == 0);
  CHECK(layout.cells == 9);
  for (const Box& box : layout.boxes) {
    if (box.lane == Lane::Forward) CHECK(box.x == kForwardX);
    if (box.lane == Lane::Backward) CHECK(box.x == kBackwardX);
    if (box.lane == Lane::Variables) CHECK(box.x == 0);
    if (box.lane == Lane::Gradients) CHECK(box.x == kGradientX);
    if (box.lane == Lane::Backward) {
      REQUIRE(box.mirror != kNone);
      CHECK(layout.boxes[box.mirror].row == box.row);
      CHECK(layout.boxes[box.mirror].y == box.y);
    }
  }
  // Both gradients of a product stand in one box; the update stands in its variable's gradient box.
  uint32_t product = kNone;
  for (uint32_t op = 0; op < graph.ops.size(); ++op)
    if (graph.ops[op].type == 9) product = op;
  CHECK(layout.boxes[layout.box_of(product)].count == 2);
  const uint32_t update = uint32_t(graph.ops.size() - 1);
  CHECK(layout.boxes[layout.box_of(update)].kind == BoxKind::Gradient);
  CHECK(layout.boxes[layout.box_of(update)].mirror ==
        layout.box_of(graph.edges[graph.edges.size() - 2].from));
}

TEST_CASE("a variable read twice has a portal at its second reader", "[layout]") {
  Tape tape;
  const uint32_t v = tape.variable();
  const uint32_t a = tape.add(2, {v}), b = tape.add(2, {a, v});
  const Layout layout = compute(tape.graph, {});
  check_sound(layout, tape.graph);
  uint32_t portals = 0;
  for (const Box& box : layout.boxes)
    if (box.kind == BoxKind::Portal) {
      ++portals;
      CHECK(box.first_op == v);
      CHECK(box.source_box == layout.box_of(v));
      CHECK(box.row == layout.boxes[layout.box_of(b)].row);
    }
  CHECK(portals == 1);
}

TEST_CASE("an op read by more than twelve cells becomes a hub", "[layout]") {
  Tape tape;
  const uint32_t x = tape.add(2, {});
  for (int i = 0; i < 13; ++i) tape.add(3, {x});
  const Layout layout = compute(tape.graph, {});
  check_sound(layout, tape.graph);
  CHECK(std::count_if(layout.boxes.begin(), layout.boxes.end(),
                      [](const Box& b) { return b.kind == BoxKind::Portal; }) == 13);
  CHECK(std::count_if(layout.wires.begin(), layout.wires.end(),
                      [](const Wire& w) { return w.kind == WireKind::Forward; }) == 0);
}

TEST_CASE("a long edge runs on a track", "[layout]") {
  Tape tape;
  const uint32_t x = tape.add(2, {});
  uint32_t y = x;
  for (int i = 0; i < 8; ++i) y = tape.add(3, {y});
  tape.add(4, {y, x});
  const Layout layout = compute(tape.graph, {});
  check_sound(layout, tape.graph);
  CHECK(std::count_if(layout.wires.begin(), layout.wires.end(), [](const Wire& w) { return w.track; }) == 1);
  CHECK(measure(layout).crossings == 0);
}

TEST_CASE("backward ops without a partner have separate places", "[layout]") {
  Tape tape;
  const uint32_t a = tape.add(2, {}), b = tape.add(2, {a});
  const uint32_t seed = tape.add(5, {}, kNone, Op::Backward, b);
  const uint32_t orphan = tape.add(6, {seed}, kNone, Op::Backward);
  tape.add(7, {orphan}, kNone, Op::Backward, a);
  tape.add(8, {}, kNone, Op::Update);
  tape.add(9, {orphan}, kNone);
  const Layout layout = compute(tape.graph, {});
  check_sound(layout, tape.graph);
  CHECK(layout.boxes[layout.box_of(orphan)].lane == Lane::Backward);
  check_sound(replay(tape.graph).layout(), tape.graph);
}

TEST_CASE("a sweep without partners goes up row by row, as a function's own gradient does", "[layout]") {
  Tape tape;
  uint32_t x = tape.add(2, {});
  for (int i = 0; i < 3; ++i) x = tape.add(3, {x});
  std::vector<uint32_t> sweep{tape.add(5, {}, kNone, Op::Backward)};
  for (int i = 0; i < 6; ++i) sweep.push_back(tape.add(6, {sweep.back()}, kNone, Op::Backward));
  const Layout layout = compute(tape.graph, {});
  check_sound(layout, tape.graph);
  for (size_t i = 1; i < sweep.size(); ++i) {
    const Box& below = layout.boxes[layout.box_of(sweep[i - 1])];
    const Box& above = layout.boxes[layout.box_of(sweep[i])];
    CHECK(above.row + 1 == below.row);
    CHECK(above.x == below.x);
  }
  // Wires between neighbours take no way round.
  for (const Wire& w : layout.wires) CHECK((w.kind != WireKind::Backward || w.right - w.left < 1));
  check_sound(replay(tape.graph).layout(), tape.graph);
}

namespace {

// A traced function of dense layers: no tape holds its ops, and no record says what its backward ops
// differentiate.
Graph traced(uint32_t layers) {
  Graph graph = mlp(layers, false);
  for (Op& op : graph.ops) {
    op.recorded = false;
    if (op.dir == Op::Backward) op.partner = kNone;
  }
  return graph;
}

}  // namespace

TEST_CASE("a function's backward ops stand in the backward column, beside forward ops that no tape holds",
          "[layout]") {
  const Graph graph = traced(4);
  const Layout settled = compute(graph, {}), live = replay(graph).layout();
  for (const Layout* layout : {&settled, &live}) {
    check_sound(*layout, graph);
    for (const Box& box : layout->boxes) {
      if (box.lane == Lane::Forward) CHECK(box.x == kForwardX);
      if (box.lane == Lane::Gradients) CHECK(box.x == kGradientX);
    }
  }
  // The gradient goes straight up, two ops a layer; those of the variables end branches beside it.
  const auto in_column = [](const Box& b) { return b.lane == Lane::Backward && b.x == kBackwardX; };
  CHECK(std::count_if(settled.boxes.begin(), settled.boxes.end(), in_column) ==
        2 * 4 + 1);  // at its end one of a variable
}

TEST_CASE("a function's backward block keeps its places when the step grows or comes again", "[layout]") {
  const Graph graph = traced(6);
  Layout last;
  for (uint32_t n = 4; n <= graph.ops.size(); n += 7) {
    const Graph part = prefix(graph, n);
    const Layout next = compute(part, {}, n == 4 ? nullptr : &last);
    check_sound(next, part);
    if (n > 4) check_same_places(last, next);
    last = next;
  }
  check_same_places(last, compute(graph, {}, &last));
}

TEST_CASE("a backward op of an op that no tape holds finds a separate place", "[layout]") {
  Tape tape;
  const uint32_t a = tape.add(2, {}), b = tape.add(3, {a});
  tape.graph.ops[a].recorded = false;
  const uint32_t of_b = tape.add(5, {}, kNone, Op::Backward, b);
  const uint32_t of_a = tape.add(6, {of_b}, kNone, Op::Backward, a);
  const Layout layout = compute(tape.graph, {});
  check_sound(layout, tape.graph);
  CHECK(layout.boxes[layout.box_of(of_b)].mirror == layout.box_of(b));
  CHECK(layout.boxes[layout.box_of(of_a)].mirror == kNone);
  CHECK(layout.boxes[layout.box_of(of_a)].lane == Lane::Backward);
}

TEST_CASE("random tapes are drawn without overlap, loose ends or upward wires", "[layout]") {
  for (uint32_t seed = 1; seed <= 30; ++seed) {
    INFO("seed " << seed);
    const Graph graph = random_graph(20 + seed * 13, seed, seed % 2 == 0);
    check_sound(compute(graph, {}), graph);
    const Incremental live = replay(graph);
    check_sound(live.layout(), graph, false);
  }
}

TEST_CASE("the same graph is drawn the same", "[layout]") {
  const Graph graph = random_graph(300, 7, true);
  const Layout a = compute(graph, {}), b = compute(graph, {});
  REQUIRE(a.boxes.size() == b.boxes.size());
  for (size_t i = 0; i < a.boxes.size(); ++i)
    CHECK((a.boxes[i].x == b.boxes[i].x && a.boxes[i].y == b.boxes[i].y));
  REQUIRE(a.points.size() == b.points.size());
  for (size_t i = 0; i < a.points.size(); ++i)
    CHECK((a.points[i].x == b.points[i].x && a.points[i].y == b.points[i].y));
}

TEST_CASE("an identical second step moves nothing", "[layout]") {
  const Graph graph = random_graph(300, 3, true);
  const Layout first = compute(graph, {});
  check_same_places(first, compute(graph, {}, &first));
  // Nor does a step that differs in one op at its end.
  Graph more = graph;
  Op extra;
  extra.key = 12345, extra.type = 3;
  more.ops.push_back(extra);
  more.edges.push_back({uint32_t(graph.ops.size() / 2), uint32_t(graph.ops.size()), 0});
  const Layout second = compute(more, {}, &first);
  check_sound(second, more);
  check_same_places(first, second);
}

TEST_CASE("a growing tape moves no box", "[layout]") {
  for (const Graph& graph : {mlp(8), random_graph(400, 11, true)}) {
    Layout last;
    for (uint32_t n = 10; n <= graph.ops.size(); n += 23) {
      const Graph part = prefix(graph, n);
      const Layout next = compute(part, {}, n == 10 ? nullptr : &last);
      check_sound(next, part);
      if (n > 10) check_same_places(last, next);
      last = next;
    }
  }
}

TEST_CASE("appending op by op never moves a box", "[layout]") {
  const Graph graph = random_graph(400, 5, true);
  Incremental live;
  Layout before;
  for (uint32_t op = 0; op < graph.ops.size(); ++op) {
    live.append(graph.ops[op], inputs_of(graph, op));
    for (size_t b = 0; b < before.boxes.size(); ++b) {
      REQUIRE(live.layout().boxes[b].x == before.boxes[b].x);
      REQUIRE(live.layout().boxes[b].y == before.boxes[b].y);
    }
    before = live.layout();
  }
}

TEST_CASE("a live recurrent tape stays narrow", "[layout]") {
  Tape tape;
  const uint32_t xs = tape.variable(), w = tape.variable();
  uint32_t h = tape.add(2, {xs});
  for (int step = 0; step < 100; ++step) {
    const uint32_t x = tape.add(3, {xs}), a = tape.add(4, {x, w}), r = tape.add(4, {h, w});
    h = tape.add(5, {a, r});
  }
  const Layout settled = compute(tape.graph, {}), live = replay(tape.graph).layout();
  check_sound(live, tape.graph);
  CHECK(live.width <= settled.width * 1.5f);
  const Graph half = prefix(tape.graph, 200);
  const Layout first = compute(half, {});
  CHECK(compute(tape.graph, {}, &first).width <= settled.width * 1.5f);
}

TEST_CASE("ops that read nothing stand in rows, not all side by side", "[layout]") {
  // What sets the values of a model's weights, and then the model.
  const auto width_after = [](uint32_t alone, const auto& drawn) {
    Tape tape;
    for (uint32_t k = 0; k < alone; ++k) tape.add(9, {});
    uint32_t x = tape.add(0, {});
    for (uint32_t k = 0; k < 6; ++k) x = tape.add(2, {x});
    const Layout layout = drawn(tape.graph);
    check_sound(layout, tape.graph, false);
    return layout.width;
  };
  const auto settled = [](const Graph& graph) { return compute(graph, {}); };
  const auto live = [](const Graph& graph) { return replay(graph).layout(); };
  CHECK(width_after(48, settled) <= width_after(8, settled) + 400);
  CHECK(width_after(48, live) <= width_after(8, live) + 400);
}

TEST_CASE("updates that read nothing of the step stand below each other beside it", "[layout]") {
  const auto width_with = [](uint32_t updates) {
    Tape tape;
    uint32_t x = tape.add(0, {});
    for (uint32_t k = 0; k < 6; ++k) x = tape.add(2, {x});
    for (uint32_t k = 0; k < updates; ++k) tape.add(9, {}, kNone, Op::Update);
    const Layout layout = compute(tape.graph, {});
    check_sound(layout, tape.graph, false);
    return layout.width;
  };
  CHECK(width_with(7) == width_with(1));
  CHECK(width_with(7) < width_with(8));
}

TEST_CASE("appending continues from a settled layout", "[layout]") {
  const Graph graph = random_graph(300, 9, true);
  const Graph part = prefix(graph, 150);
  const Layout settled = compute(part, {});
  Incremental live;
  live.reset(part, settled);
  check_same_places(settled, live.layout());
  for (uint32_t op = 150; op < graph.ops.size(); ++op) live.append(graph.ops[op], inputs_of(graph, op));
  check_same_places(settled, live.layout());
  check_sound(live.layout(), graph, false);
}

TEST_CASE("collapsed scopes are one box and series fold", "[layout]") {
  const Graph graph = mlp(12);
  Options options;
  options.collapsed.assign(graph.scopes.size(), 1);
  const Layout one = compute(graph, options);
  check_sound(one, graph);
  CHECK(std::count_if(one.boxes.begin(), one.boxes.end(),
                      [](const Box& b) { return b.lane == Lane::Forward; }) == 1);

  options.collapsed[0] = 0;
  const Layout folded = compute(graph, options);
  check_sound(folded, graph);
  const auto series = std::find_if(folded.boxes.begin(), folded.boxes.end(),
                                   [](const Box& b) { return b.kind == BoxKind::Series; });
  REQUIRE(series != folded.boxes.end());
  CHECK(series->members == 9);
  CHECK(folded.cells == 4);

  options.fold_series = false;
  CHECK(compute(graph, options).cells == 12);

  Incremental live;
  for (size_t s = 0; s < graph.scopes.size(); ++s) live.add_scope(graph.scopes[s], s > 0);
  for (uint32_t op = 0; op < graph.ops.size(); ++op) live.append(graph.ops[op], inputs_of(graph, op));
  CHECK(live.layout().cells == 12);
  check_sound(live.layout(), graph, false);
}

TEST_CASE("ops appended to collapsed and open scopes in turn move no box", "[layout]") {
  const Graph graph = mlp(12);
  Options options;
  options.fold_series = false;
  options.collapsed.assign(graph.scopes.size(), 0);
  for (size_t s = 1; s < graph.scopes.size(); s += 2) options.collapsed[s] = 1;
  Incremental live;
  for (size_t s = 0; s < graph.scopes.size(); ++s) live.add_scope(graph.scopes[s], options.collapsed[s] != 0);
  Layout before;
  for (uint32_t op = 0; op < graph.ops.size(); ++op) {
    live.append(graph.ops[op], inputs_of(graph, op));
    REQUIRE(live.layout().boxes.size() >= before.boxes.size());
    for (size_t b = 0; b < before.boxes.size(); ++b) {
      REQUIRE(live.layout().boxes[b].key == before.boxes[b].key);
      REQUIRE(live.layout().boxes[b].x == before.boxes[b].x);
      REQUIRE(live.layout().boxes[b].y == before.boxes[b].y);
    }
    before = live.layout();
  }
  check_sound(before, graph, false);
  // A collapsed scope is one box forward and one backward, and holds what runs in it.
  for (uint32_t s = 1; s < graph.scopes.size(); s += 2) {
    INFO("scope " << s);
    for (const Lane lane : {Lane::Forward, Lane::Backward}) {
      CHECK(std::count_if(before.boxes.begin(), before.boxes.end(), [&](const Box& box) {
              return box.kind == BoxKind::Scope && box.scope == s && box.lane == lane;
            }) == 1);
    }
    for (uint32_t op = 0; op < graph.ops.size(); ++op) {
      if (graph.ops[op].scope == s && !graph.ops[op].leaf_variable)
        CHECK(before.boxes[before.box_of(op)].scope == s);
    }
  }
  // When the tape ends nothing jumps.
  check_same_places(before, compute(graph, options, &before));
}

TEST_CASE("the first view opens what fits", "[layout]") {
  const Graph graph = mlp(4);
  Options options;
  options.collapsed = default_collapsed(graph, 300);
  CHECK(compute(graph, options).cells == 12);
  options.collapsed = default_collapsed(graph, 7);
  CHECK(compute(graph, options).cells <= 7);
  const Graph many = mlp(200);
  options.collapsed = default_collapsed(many, 50);
  CHECK(compute(many, options).cells <= 50);
}

TEST_CASE("a scope entered again makes no cycle", "[layout]") {
  Tape tape;
  const uint32_t s = tape.scope();
  const uint32_t a = tape.add(2, {}, s), b = tape.add(3, {a}), c = tape.add(4, {b}, s);
  tape.add(5, {c});
  Options options;
  options.collapsed = {1};
  const Quality q = measure(compute(tape.graph, options));
  CHECK(q.overlaps == 0);
  CHECK(q.loose_ends == 0);
}

TEST_CASE("random scopes, collapsed at random, overlap nowhere", "[layout]") {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Graph graph = random_graph(150, seed, true);
    std::mt19937 rng(seed);
    for (uint32_t s = 0; s < 24; ++s)
      graph.scopes.push_back({s == 0 || rng() % 4 == 0 ? kNone : uint32_t(rng() % s), 500 + s, rng() % 3, 0});
    for (uint32_t i = 0; i < graph.ops.size(); ++i)
      graph.ops[i].scope = rng() % 5 == 0 ? kNone : (i / 9 + rng() % 2) % 24;
    Options options;
    for (uint32_t s = 0; s < 24; ++s) options.collapsed.push_back(rng() % 3 == 0);
    const auto check = [](const Layout& layout) {
      const Quality q = measure(layout);
      CHECK(q.overlaps == 0);
      CHECK(q.loose_ends == 0);
    };
    const Layout open = compute(graph, {}), shut = compute(graph, options),
                 reopened = compute(graph, {}, &shut);
    check(open), check(shut), check(reopened);
    Incremental live;
    for (uint32_t s = 0; s < 24; ++s) live.add_scope(graph.scopes[s], options.collapsed[s]);
    for (uint32_t op = 0; op < graph.ops.size(); ++op) live.append(graph.ops[op], inputs_of(graph, op));
    check(live.layout());
  }
}

TEST_CASE("a stopped job returns promptly and says so", "[layout]") {
  const Graph graph = random_graph(3000, 2, false);
  std::stop_source source;
  source.request_stop();
  CHECK(compute(graph, {}, nullptr, source.get_token()).cancelled);
  Tape wide;
  std::mt19937 rng(1);
  const auto near = [&](uint32_t i) { return i - 1 - uint32_t(rng() % 499); };
  for (uint32_t i = 0; i < 200'000; ++i)
    wide.add(2, i < 500 ? std::vector<uint32_t>{} : std::vector<uint32_t>{near(i), near(i)});
  std::stop_source late;
  std::jthread stopper(
      [&] { std::this_thread::sleep_for(std::chrono::milliseconds(20)), late.request_stop(); });
  const auto start = std::chrono::steady_clock::now();
  const Layout layout = compute(wide.graph, {}, nullptr, late.get_token());
  const double ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  CHECK(layout.cancelled);
  CHECK(layout.boxes.empty());
  CHECK(ms < 2000);  // without the stop this takes longer under a sanitizer; the bound is for a busy machine
}
