// Ops to cells: the transform that keeps a tape's drawing short. Works op by op, so a growing tape can use it
// too. Private to the layout.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "viewer/model/layout.h"

namespace tapescope::layout::detail {

/// Mixes two 64-bit values (the finalizer of splitmix64 over their sum with an odd constant).
constexpr uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t z = a * 0x9e3779b97f4a7c15ull + b + 0x632be59bd9b4e019ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/// Scopes that are drawn as one box, and which scope each of them swallows.
struct Groups {
  struct Group {
    uint32_t scope = kNone;
    uint32_t members = 0;  ///< > 0: the middle of a series
    uint64_t key = 0;
  };
  std::vector<Group> list;
  std::vector<uint32_t> of_scope;  ///< by scope: index into list, or kNone
  uint32_t of(uint32_t scope) const { return scope < of_scope.size() ? of_scope[scope] : kNone; }
};
Groups make_groups(const Graph& graph, const Options& options);

enum class Role : uint8_t { Waiting, Head, Leaf, Back, Grad };

/// A leaf beside a cell, or a portal to an op elsewhere.
struct Slot {
  uint32_t op = kNone;
  uint32_t cell = kNone;
  uint32_t next = kNone;
  uint32_t box = kNone;
  uint32_t gradient_box = kNone;
  bool portal = false;
};

/// All tape edges from one cell to another.
struct CellEdge {
  uint32_t from = kNone, to = kNone;
  uint32_t next_in = kNone, next_out = kNone;
  uint32_t count = 1;
  bool against = false;   ///< runs against the order of the cells (a scope that was entered again)
  bool portal = false;    ///< shown by a portal, not by a wire
  bool backward = false;  ///< a gradient flows the other way
  bool crossing = false;  ///< a forward op reads the result of a backward op
};

struct Cell {
  uint64_t key = 0;
  uint32_t head = kNone;  ///< its first op
  uint32_t group = kNone;
  uint32_t first_in = kNone, last_in = kNone, first_out = kNone;
  uint32_t in_count = 0, out_count = 0;
  uint32_t first_slot = kNone, last_slot = kNone, slot_count = 0;
  uint32_t forward_box = kNone, backward_box = kNone;
  uint32_t row = 0;
  float out = 0;
  Op::Dir dir = Op::Forward;
  bool forward_only = false;  ///< nothing comes to stand in its backward place
  bool leaf_only = false;     ///< a leaf nothing reads
  bool seed = false;          ///< a sweep begins here
  bool turn_drawn = false;
};

/// A backward op without partner, or an update without a variable: a cell of the right half alone.
inline bool is_backward_only(const Cell& cell) { return cell.dir != Op::Forward && cell.group == kNone; }

/// So many cells that read nothing stand side by side on a row, the others on the next ones. What sets the
/// weights of a model makes dozens of them, which in one row would leave room for nothing else.
constexpr uint32_t kMostBeside = 4;

/// A gradient that flows between cells no forward wire joins.
struct Stray {
  uint32_t from = kNone, to = kNone;
};

class Cells {
 public:
  Cells(const Options& options, Groups groups)
      : hub_targets_(options.hub_targets), groups(std::move(groups)) {}

  /// Leaves that keep their own cell because the last layout gave them one.
  void keep_apart(std::unordered_set<uint64_t> leaf_cells) { apart_ = std::move(leaf_cells); }
  void reserve(size_t ops, size_t edges);
  /// Adds op `index` of the graph; `inputs` are the ops it reads.
  void add(const Graph& graph, uint32_t index, std::span<const uint32_t> inputs);
  /// Gives every leaf that nothing read a cell.
  void place_leaves(const Graph& graph);
  /// Gives it one if it is such a leaf.
  void place_unread(const Graph& graph, uint32_t op);
  /// Turns the wires of hubs into portals. Cells with narrow[cell] set have no room for one and keep the
  /// wire.
  void cut_hubs(const std::vector<uint8_t>& narrow);
  static uint64_t leaf_cell_key(uint64_t op_key) { return mix(op_key, 0x1eaf); }

 private:
  void add_forward(const Graph& graph, uint32_t index, std::span<const uint32_t> inputs);
  void add_backward(const Graph& graph, uint32_t index, std::span<const uint32_t> inputs);
  void add_update(const Graph& graph, uint32_t index, std::span<const uint32_t> inputs);
  void join(uint32_t index, uint32_t into, Role as, uint32_t in_slot = kNone);
  uint32_t new_cell(uint64_t key, uint32_t head, uint32_t group, Op::Dir dir);
  uint32_t own_or_group_cell(const Graph& graph, uint32_t index);
  void place_leaf(const Graph& graph, uint32_t leaf);
  uint32_t own_leaf_cell(const Graph& graph, uint32_t leaf);
  uint32_t add_slot(uint32_t cell, uint32_t op, bool portal);
  void add_portal(uint32_t cell, uint32_t op);
  uint32_t connect(uint32_t from, uint32_t to, bool crossing);
  uint32_t find_edge(uint32_t from, uint32_t to) const;
  void flow_back(uint32_t from, uint32_t to);
  bool find_pass(uint32_t from, uint32_t to);

  struct Stamp {
    uint32_t to = kNone, edge = kNone;
  };
  struct Visit {
    uint32_t cell, edge, parent;
  };
  uint32_t hub_targets_;
  std::unordered_set<uint64_t> apart_;
  std::vector<Stamp> stamp_;                            ///< by cell: its newest edge
  std::unordered_map<uint64_t, uint32_t> group_edges_;  ///< edges at groups, which come back to a cell
  std::unordered_map<uint64_t, uint32_t> portals_;      ///< (group cell, op): a portal is there already
  std::unordered_set<uint64_t> flows_;                  ///< gradient flows that no single edge mirrors
  std::vector<uint32_t> group_cell_;
  std::vector<Visit> visits_;

 public:
  Groups groups;
  std::vector<Cell> cells;
  std::vector<CellEdge> edges;
  std::vector<Slot> slots;
  std::vector<Stray> strays;
  std::vector<uint32_t> cell_of, slot_of;  ///< by op
  std::vector<Role> role;                  ///< by op
  std::vector<uint32_t>
      fresh_backward;  ///< edges whose backward flag was set; the incremental drawing empties it
};

}  // namespace tapescope::layout::detail
