// The ops that fusion makes: rows like others, but not of the table, since no program calls them.
//
// Their attribute `object` is the address of a program, which the graph keeps alive.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "engine/gate/op.h"
#include "engine/kernels/reduce.h"
#include "engine/kernels/tile.h"

namespace tapescope {

class Graph;
struct GraphNode;

// Elementwise ops of one shape, and the reduction at their end if there is one; or, without a program, a
// product with its bias and activation.
struct FusedChain {
  kernels::TileProgram program;
  std::vector<const Type*> types;         // of the node's outputs
  std::vector<std::string_view> members;  // ops, in order
  double flops = 0;
  // Of reductions: over the middle of [outer, n, inner].
  kernels::ReduceOp reduce = kernels::ReduceOp::sum;
  std::int64_t outer = 1, n = 1, inner = 1;
  bool cut = false;  // long folds are made of shorter ones
  // The members, which give the same bits one by one: from the node's inputs, its parameters, to the node's
  // outputs, its results.
  std::shared_ptr<const Graph> parts;
};

extern const OpDef kFusedElementwise;  // "_FusedElementwise"
extern const OpDef kFusedReduction;    // "_FusedReduction"
// "_FusedMatMul": a, b, bias; flags as MatMul's; i0 a UnaryOp or -1, f0 its parameter.
extern const OpDef kFusedMatMul;

// A reduction of what is stored that folds in the order of the fused one. Its row has the reduction's name.
struct CutReduction {
  OpDef row;
  FusedChain chain;
};
// `input` is the type of what is reduced, `fused` says how.
std::shared_ptr<const CutReduction> cut_reduction(const OpDef& reduction, const Type& input,
                                                  const FusedChain& fused);

// One of these rows; null when there is none of that name.
const OpDef* find_fused_op(std::string_view name);

inline Attrs with_chain(Attrs attrs, const FusedChain& chain) {
  attrs.object = reinterpret_cast<std::uint64_t>(&chain);
  return attrs;
}
inline const FusedChain& fused_chain(const Attrs& attrs) {
  return *reinterpret_cast<const FusedChain*>(attrs.object);
}

// The members of a fused node; null for every other.
const Graph* parts_of(const GraphNode& node);

}  // namespace tapescope
