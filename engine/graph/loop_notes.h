// What fused loops are made of and what runs them, as records of a function's graph.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/events/records/graphs.h"
#include "engine/graph/graph.h"
#include "engine/graph/optimize_records.h"
#include "engine/kernels/compiled_tiles.h"

namespace tapescope {

struct FusedChain;

class LoopNotes {
 public:
  // Writes the loops of an optimized graph, those in bodies of its loops and branches included. After
  // note_optimization, on the same thread; nothing where no session listens. `compiled`: the function asks
  // for machine code. Once.
  void begin(std::shared_ptr<const Graph> graph, bool compiled, GraphOwner owner);
  // After a run: writes what has changed.
  void update();

 private:
  struct Watched {
    const FusedChain* chain;
    std::uint16_t loop;
    kernels::CompiledTiles::State state;  // that was written last
  };
  void add_loops(const Graph& graph);
  void write_code(const Watched& watched) const;

  std::mutex mutex_;
  std::shared_ptr<const Graph> graph_;  // keeps the chains
  bool compiled_ = false;
  GraphOwner owner_;
  std::vector<Watched> loops_;
  std::atomic<bool> waiting_{false};  // some loop's code may still come
};

}  // namespace tapescope
