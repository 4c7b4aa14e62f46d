// Layout of a gradient-tape graph: forward ops run down the left half, backward ops mirror them on the right
// half. Ops of one forward op (its leaves, its backward ops, its updates) share one cell and one row, so that
// every tape edge between cells points down and a backward wire is the mirror picture of a forward one.
// Backward ops for which it is unknown what they differentiate, those of a traced function, go up the right
// half where its places are free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace tapescope::layout {

inline constexpr uint32_t kNone = 0xffffffffu;

// --- input ---------------------------------------------------------------------------------------

/// One op of the tape. Ops stand in tape order; the index in Graph::ops is the op's name in everything below.
struct Op {
  enum Dir : uint8_t { Forward, Backward, Update };
  uint64_t key = 0;        ///< the same op of the next step has the same key; unique within a graph
  uint32_t scope = kNone;  ///< index into Graph::scopes, kNone: at the root
  uint32_t type = 0;       ///< op-type id, equal for equal kinds
  Dir dir = Forward;
  uint32_t partner =
      kNone;  ///< the op this backward op differentiates (earlier in the tape), kNone: not known
  bool leaf_variable =
      false;  ///< variable read, constant or fed input: stands beside its consumer, has no row
  bool wants_gradient =
      false;  ///< a leaf that is a source of gradients: its gradient box exists before any gradient does
  bool recorded = true;  ///< false for a forward op that no tape holds: no backward op comes, its place is
                         ///< free for others
};

/// Op `to` reads the output of op `from`; from < to. Edges stand in the order of `to`.
struct Edge {
  uint32_t from = 0, to = 0;
  uint8_t slot = 0;
};

/// A name scope; a parent's index is smaller than its children's.
struct Scope {
  uint32_t parent = kNone;
  uint64_t key = 0;   ///< stable from step to step
  uint64_t stem = 0;  ///< hash of the name with its digits left out; 0: never part of a series
  double weight = 0;  ///< what default_collapsed opens first (time, say); 0 everywhere: number of ops
};

struct Graph {
  std::vector<Op> ops;
  std::vector<Edge> edges;
  std::vector<Scope> scopes;
};

struct Options {
  std::vector<uint8_t>
      collapsed;            ///< by scope: not 0 = drawn as one box; shorter than scopes = the rest is open
  bool fold_series = true;  ///< >= 5 equal collapsed siblings become first, second, one "x N" box and last
  bool live = false;        ///< hold leaves back (no box) until an op reads them, as they would have to move
  uint32_t shown = kNone;   ///< live: this op has a box even so, below the others
  uint32_t long_span = 6;   ///< a wire over more rows than this runs on a track at the side
  uint32_t hub_targets = 12;  ///< an op read by more cells than this is shown at each of them by a portal
  uint32_t sweeps = 8;        ///< most passes of crossing reduction; large graphs get fewer by themselves
};

// --- result --------------------------------------------------------------------------------------

enum class Lane : uint8_t { Variables, Forward, Backward, Gradients };

enum class BoxKind : uint8_t {
  Op,      ///< one forward op, or the backward ops of one forward op ("MatMul x2")
  Scope,   ///< a collapsed scope: its forward ops (lane Forward) or its backward ops (lane Backward)
  Series,  ///< the middle of a series of equal scopes, "x N"
  Portal,  ///< stands for an op drawn elsewhere: source_box is the real one; no op maps to it, first_op names
           ///< it
  Variable,  ///< a leaf, or several (count > 1) where one op reads more than two
  Gradient,  ///< gradient of the variable in box `mirror`; accumulation and update ops; count 0 until one ran
  Pass,  ///< backward lane: the gradient passes this op unchanged (AddV2); count 0. As large as an op: draw a
         ///< line through it
};

/// Where the drawing puts something, in pixels at zoom 1, y downwards. x may be negative: branches grow
/// outwards from the axis on both sides, so nothing that stands has to move for them.
struct Box {
  float x = 0, y = 0, w = 0, h = 0;
  uint64_t key = 0;           ///< of this box, stable from step to step: animate and keep selections by it
  uint32_t first_op = kNone;  ///< in tape order; Layout::ops_of lists all. For Gradient and Pass with count
                              ///< 0: the variable, the forward op
  uint32_t last_op = kNone;
  uint32_t count = 0;           ///< ops it stands for (Series: see members)
  uint32_t members = 0;         ///< Series: how many scopes are folded in it
  uint32_t scope = kNone;       ///< Scope: the collapsed one. Series: its first member
  uint32_t mirror = kNone;      ///< forward <-> backward box, variable <-> gradient box
  uint32_t source_box = kNone;  ///< Portal: the box it stands for
  uint32_t row = 0;             ///< rank by longest path; all boxes of a cell share it
  uint32_t cell = kNone;
  Lane lane = Lane::Forward;
  BoxKind kind = BoxKind::Op;
};

enum class WireKind : uint8_t { Forward, Backward, Variable, Gradient };

struct Point {
  float x = 0, y = 0;
};

/// An orthogonal polyline in the direction of the data: points first_point .. first_point + point_count of
/// Layout::points; the first lies on the edge of from_box, the last on the edge of to_box.
struct Wire {
  uint32_t from_box = kNone, to_box = kNone;
  uint32_t first_point = 0, point_count = 0;
  float left = 0, top = 0, right = 0, bottom = 0;  ///< bounds, for culling
  uint32_t count = 1;                              ///< tape edges merged in it
  WireKind kind = WireKind::Forward;
  bool track = false;  ///< long, runs at the side: draw it fainter
};

/// A cell's place: all that has to be kept for the next step to look the same.
struct Place {
  uint64_t key = 0;
  uint32_t row = 0;
  float out = 0;      ///< distance of the forward box from its innermost place, >= 0, in pixels
  bool wide = false;  ///< it has leaves or portals beside it
};

/// An immutable picture; share it between threads by shared_ptr<const Layout>.
struct Layout {
  std::vector<Box> boxes;
  std::vector<Wire> wires;
  std::vector<Point> points;
  std::vector<float> row_y;                        ///< top of each row's boxes
  std::vector<uint32_t> op_box;                    ///< by op: its box, or kNone (a leaf held back)
  std::vector<uint32_t> next_op;                   ///< by op: the next op of the same box, or kNone
  std::vector<Place> places;                       ///< by cell
  float left = 0, top = 0, width = 0, height = 0;  ///< bounds of all boxes and wires
  uint32_t cells = 0, cell_edges = 0;
  uint64_t signature = 0;  ///< equal for graphs and options that look the same
  bool live = false;       ///< as Options::live: where an unread leaf stands is not to be kept
  bool cancelled = false;  ///< the job was stopped; nothing else in here means anything

  uint32_t box_of(uint32_t op) const { return op < op_box.size() ? op_box[op] : kNone; }
  std::span<const Point> points_of(const Wire& w) const {
    return {points.data() + w.first_point, w.point_count};
  }
  /// The ops of a box in tape order (a portal: the op it names).
  std::vector<uint32_t> ops_of(uint32_t box) const;
  /// The box at a point, or kNone. Linear in the boxes: 0.1 ms at 100,000.
  uint32_t box_at(float x, float y) const;
};

// Sizes at zoom 1, measured from the picture of the main window; kAxis is the line the two halves mirror at.
inline constexpr float kBoxWidth = 165, kBoxHeight = 38, kRowPitch = 61;
inline constexpr float kLeafWidth = 125, kLeafGap = 62;
inline constexpr float kForwardX = kLeafWidth + kLeafGap;  // 187: innermost forward boxes, variables at 0
inline constexpr float kAxis = 404;
inline constexpr float kBackwardX = 2 * kAxis - kForwardX - kBoxWidth;  // 456
inline constexpr float kGradientX = 2 * kAxis - kLeafWidth;             // 683

// --- what to call --------------------------------------------------------------------------------

/// Which scopes to draw as one box so that about `max_boxes` forward boxes are seen: opens the heaviest
/// first. Put the user's own choices over the answer and hand it to compute() as Options::collapsed.
std::vector<uint8_t> default_collapsed(const Graph& graph, uint32_t max_boxes);

/// Lays the graph out in linear time; any thread. With `previous` (of an earlier step, of a shorter tape, of
/// other options) each cell whose key is in it keeps its place and only new ones are placed; without it
/// everything is placed at its best. Stops soon after a stop is requested and then returns with `cancelled`
/// set.
Layout compute(const Graph& graph, const Options& options, const Layout* previous = nullptr,
               std::stop_token stop = {});

/// Lays a tape out while it is recorded: about a microsecond an op, and no box ever moves. Not thread-safe;
/// hand out copies of layout(). Settle with compute(graph(), options) when the tape ends.
class Incremental {
 public:
  explicit Incremental(Options options = {});
  ~Incremental();
  Incremental(Incremental&&) noexcept;
  Incremental& operator=(Incremental&&) noexcept;

  /// Continues from a finished layout of `graph`: what it placed stays.
  void reset(Graph graph, const Layout& layout);
  /// A scope for later ops; returns its index.
  uint32_t add_scope(const Scope& scope, bool collapsed = false);
  /// The next op and the ops it reads, by index, in slot order; returns its index.
  uint32_t append(const Op& op, std::span<const uint32_t> inputs);

  const Graph& graph() const;
  const Layout& layout() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// --- measures of quality, for tests and the layout tool ------------------------------------------

struct Quality {
  uint64_t crossings = 0;     ///< points where two forward wires without a common end cross, tracks included
  uint64_t overlaps = 0;      ///< pairs of boxes that share area
  uint64_t upward_edges = 0;  ///< forward wires that end at a row above or equal to their start
  uint64_t loose_ends = 0;    ///< wire ends that do not lie on the edge of their box
};
Quality measure(const Layout& layout);

}  // namespace tapescope::layout
