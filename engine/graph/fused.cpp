// Kernels and costs of the fused ops.
#include "engine/graph/fused.h"

#include <algorithm>
#include <iterator>

#include "engine/graph/graph.h"
#include "engine/kernels/gemm.h"
#include "engine/ops/linalg/rows.h"

namespace tapescope {
namespace {

void infer_chain(InferContext& c) {
  const std::vector<const Type*>& types = fused_chain(c.attrs).types;
  c.set_outputs(static_cast<int>(types.size()));
  for (std::size_t i = 0; i < types.size(); ++i) c.out(static_cast<int>(i), types[i]);
}

struct Addresses {
  const void* inputs[kernels::TileProgram::kMaxInputs];
  explicit Addresses(const KernelContext& c) {
    for (std::size_t i = 0; i < c.inputs.size(); ++i) inputs[i] = c.inputs[i]->data;
  }
};

void elementwise_kernel(KernelContext& c) {
  const Addresses addresses(c);
  void* results[kernels::TileProgram::kMaxResults];
  for (std::size_t i = 0; i < c.outputs.size(); ++i) results[i] = c.out<void>(static_cast<int>(i));
  kernels::run_tiles(fused_chain(c.attrs).program, addresses.inputs, results);
}

void reduction_kernel(KernelContext& c) {
  const FusedChain& chain = fused_chain(c.attrs);
  const Addresses addresses(c);
  kernels::reduce_tiles(chain.reduce, chain.program, addresses.inputs, chain.outer, chain.n, chain.inner,
                        chain.cut, c.out<void>());
}

OpCost chain_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs& attrs) {
  return {attrs.object ? fused_chain(attrs).flops : 0, rows::bytes_moved(in, out)};
}

// ---- product, bias and activation

void infer_matmul(InferContext& c) {
  Attrs product;
  product.flags = c.attrs.flags;
  InferContext inner{*find_op("MatMul"), c.inputs.first(2), product, c.location};
  inner.op.infer(inner);
  c.out(inner.types()[0]);
}

// A few rows at a time, so that the activation finds them in the cache where the bias left them.
constexpr std::int64_t kTogether = 4096;

void matmul_kernel(KernelContext& c) {
  KernelContext product{c.inputs.first(2), c.outputs, c.attrs};
  static const OpDef* const matmul = find_op("MatMul");
  matmul->kernel(product);
  const Type& type = c.out_type();
  const std::int64_t rows = type.shape[0], n = type.shape[1];
  if (type.numel == 0) return;
  const std::int64_t size = static_cast<std::int64_t>(size_of(type.dtype));
  const int activation = c.attrs.i[0];
  const kernels::BinaryLoop add =
      kernels::binary_loop(kernels::BinaryOp::add, type.dtype, kernels::Mode::vector_vector);
  const kernels::UnaryLoop function =
      activation < 0 ? nullptr : kernels::unary_loop(static_cast<kernels::UnaryOp>(activation), type.dtype);
  const std::int64_t together = kTogether / n + 1;
  for (std::int64_t first = 0; first < rows; first += together) {
    const std::int64_t count = std::min(together, rows - first);
    char* const block = c.out<char>() + first * n * size;
    for (std::int64_t r = 0; r < count; ++r)
      add(block + r * n * size, c.in<void>(2), block + r * n * size, n, 0);
    if (function) function(block, block, count * n, c.attrs.f[0]);
  }
}

OpCost matmul_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs& attrs) {
  if (in.size() < 3 || in[2]->numel == 0)
    return {0, rows::bytes_moved(in, out)};  // of a recording that another program wrote
  OpCost cost = find_op("MatMul")->cost(in.first(2), out, attrs);
  cost.flops += static_cast<double>(out[0]->numel);
  if (attrs.i[0] >= 0)
    cost.flops +=
        kernels::row_of(static_cast<kernels::UnaryOp>(attrs.i[0])).flops * static_cast<double>(out[0]->numel);
  cost.bytes += static_cast<double>(in[2]->bytes);
  return cost;
}

}  // namespace

constinit const OpDef kFusedElementwise{.name = "_FusedElementwise",
                                        .infer = infer_chain,
                                        .kernel = elementwise_kernel,
                                        .batch = BatchRule::elementwise,
                                        .cost = chain_cost,
                                        .no_gradient = NoGradient::unregistered,
                                        .doc = "A chain of elementwise ops, tile by tile"};
constinit const OpDef kFusedReduction{.name = "_FusedReduction",
                                      .infer = infer_chain,
                                      .kernel = reduction_kernel,
                                      .cost = chain_cost,
                                      .no_gradient = NoGradient::unregistered,
                                      .doc = "A chain of elementwise ops and the reduction that ends it"};
constinit const OpDef kFusedMatMul{.name = "_FusedMatMul",
                                   .infer = infer_matmul,
                                   .kernel = matmul_kernel,
                                   .cost = matmul_cost,
                                   .no_gradient = NoGradient::unregistered,
                                   .doc = "Product, bias and activation"};

namespace {
constexpr const OpDef* kFusedRows[] = {&kFusedElementwise, &kFusedReduction, &kFusedMatMul};

// Records name ops by id; the table gives one to its own rows only.
[[maybe_unused]] const bool g_named = [] {
  for (const OpDef* row : kFusedRows) row->id = intern_op_name(row->name);
  return true;
}();
}  // namespace

const OpDef* find_fused_op(std::string_view name) {
  for (const OpDef* row : kFusedRows) {
    if (row->name == name) return row;
  }
  return nullptr;
}

std::shared_ptr<const CutReduction> cut_reduction(const OpDef& reduction, const Type& input,
                                                  const FusedChain& fused) {
  auto made = std::make_shared<CutReduction>();
  made->row = reduction;
  made->row.infer = infer_chain;
  made->row.kernel = reduction_kernel;
  made->row.cost = chain_cost;
  using Program = kernels::TileProgram;
  Program::Step copy{};
  copy.code = Program::Code::convert;
  copy.from = copy.to = input.dtype;
  copy.target = Program::kFirstResult;
  FusedChain& chain = made->chain;
  chain.program.inputs = {{input.dtype, Program::Access::whole}};
  chain.program.steps = {copy};
  chain.program.results = {input.dtype};
  chain.program.count = input.numel;
  chain.types = fused.types;
  chain.members = {reduction.name};
  chain.flops = static_cast<double>(input.numel);
  chain.reduce = fused.reduce;
  chain.outer = fused.outer;
  chain.n = fused.n;
  chain.inner = fused.inner;
  chain.cut = fused.cut;
  return made;
}

const Graph* parts_of(const GraphNode& node) {
  if (std::ranges::find(kFusedRows, node.op) == std::end(kFusedRows)) return nullptr;
  return fused_chain(node.attrs).parts.get();
}

}  // namespace tapescope
