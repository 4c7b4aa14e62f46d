// The rows of the exchanges and their kernels. Gradients are exchanges too, so that they can be recorded,
// traced and differentiated again.
#include "engine/parallel/collectives.h"

#include <fmt/format.h>

#include "engine/gate/arguments.h"
#include "engine/gate/families.h"
#include "engine/ops/creation.h"
#include "engine/parallel/packing.h"
#include "engine/parallel/transport.h"

namespace tapescope {
namespace {

using parallel::Exchange;
using parallel::transport;

constexpr std::uint32_t kMean = 1;  // of the flags of AllReduce

int processes() { return transport().size(); }

bool is_mean(const Attrs& attrs) { return attrs.flags & kMean; }

void refuse_unsummed(InferContext& c, DType dtype, bool mean) {
  if (is_floating(dtype) || (is_integer(dtype) && !mean)) return;
  c.fail(fmt::format("cannot {} {} over the processes; cast it to a floating type first",
                     mean ? "average" : "sum", name_of(dtype)));
}

void infer_reduce(InferContext& c) {
  c.set_outputs(c.input_count());
  for (int i = 0; i < c.input_count(); ++i) {
    refuse_unsummed(c, c.in(i).dtype, is_mean(c.attrs));
    if (c.in(i).dtype != c.in(0).dtype) {
      c.fail(fmt::format("tensors of one exchange have one dtype, got {} and {}", c.in(0).text(),
                         c.in(i).text()));
    }
    c.out(i, &c.in(i));
  }
}

void reduce_kernel(KernelContext& c) {
  const DType dtype = c.in_type(0).dtype;
  Exchange exchange{.kind = Exchange::Kind::all_reduce, .count = c.in_type(0).numel, .dtype = dtype};
  if (c.inputs.size() == 1 && !is_half(dtype)) {
    exchange.in = c.in<void>(0);
    exchange.out = c.out<void>();
    transport().run(exchange);
    if (is_mean(c.attrs)) parallel::divide(c.outputs[0], processes());
    return;
  }
  const Tensor in = parallel::packed(c.inputs), out(new_tensor(&in.type()));
  exchange.in = in.raw();
  exchange.out = out.impl()->data;
  exchange.count = in.numel();
  exchange.dtype = in.dtype();
  transport().run(exchange);
  if (is_mean(c.attrs)) parallel::divide(out, processes());
  parallel::unpack(out, c.outputs);
}

ReduceOp reduction_of(const Attrs& attrs) { return is_mean(attrs) ? ReduceOp::mean : ReduceOp::sum; }

void reduce_vjp(VjpContext& c) {
  std::vector<Tensor> cotangents;
  for (int i = 0; i < c.input_count(); ++i) cotangents.push_back(c.grad(i));
  const std::vector<Tensor> sums = all_reduce(cotangents, reduction_of(c.attrs()));
  for (int i = 0; i < c.input_count(); ++i) c.set(i, sums[static_cast<std::size_t>(i)]);
}

void infer_gather(InferContext& c) {
  if (c.in(0).shape.rank() == 0)
    c.fail("a scalar has no rows to gather; give a tensor of at least one dimension");
  if (c.in(0).dtype == DType::resource) c.fail("cannot gather handles; give tensors");
  Shape shape = c.in(0).shape;
  shape[0] *= processes();
  c.out(c.in(0).dtype, shape);
}

void gather_kernel(KernelContext& c) {
  transport().run({.kind = Exchange::Kind::all_gather,
                   .in = c.in<void>(0),
                   .out = c.out<void>(),
                   .count = c.in_type(0).numel,
                   .dtype = c.in_type(0).dtype});
}

void infer_scatter(InferContext& c) {
  refuse_unsummed(c, c.in(0).dtype, false);
  Shape shape = c.in(0).shape;
  if (shape.rank() == 0 || shape[0] % processes() != 0) {
    c.fail(fmt::format("expected a first dimension that {} processes can share, got {}", processes(),
                       c.in(0).text()));
  }
  shape[0] /= processes();
  c.out(c.in(0).dtype, shape);
}

void scatter_kernel(KernelContext& c) {
  const DType dtype = c.in_type(0).dtype;
  const std::int64_t count = c.out_type().numel;
  Exchange exchange{.kind = Exchange::Kind::reduce_scatter,
                    .in = c.in<void>(0),
                    .out = c.out<void>(),
                    .count = count,
                    .dtype = dtype};
  if (!is_half(dtype)) return transport().run(exchange);
  const Tensor in = parallel::packed(c.inputs), out(new_tensor(intern_type(DType::f32, {count})));
  exchange.in = in.raw();
  exchange.out = out.impl()->data;
  exchange.dtype = DType::f32;
  transport().run(exchange);
  parallel::unpack(out, c.outputs);
}

void infer_broadcast(InferContext& c) {
  if (c.in(0).dtype == DType::resource) c.fail("cannot broadcast handles; give tensors");
  c.out(&c.in(0));
}

void broadcast_kernel(KernelContext& c) {
  transport().run({.kind = Exchange::Kind::broadcast,
                   .in = c.in<void>(0),
                   .out = c.out<void>(),
                   .count = c.in_type(0).numel,
                   .dtype = c.in_type(0).dtype,
                   .root = c.attrs.i[0]});
}

// All must take part in the sum, and it belongs to one of them.
void broadcast_vjp(VjpContext& c) {
  const Tensor total = all_reduce(c.grad());
  const bool own = transport().rank() == c.attrs().i[0];
  c.set(0, own ? total : zeros_like(total));
}

// What moves: each element is read once and written once here, and what the network does is not counted.
OpCost exchange_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs&) {
  OpCost cost;
  for (const Type* type : in) cost.bytes += static_cast<double>(type->bytes);
  for (const Type* type : out) cost.bytes += static_cast<double>(type->bytes);
  return cost;
}

constexpr std::uint32_t kExchanges = OpDef::kStateful | OpDef::kWaits;

constinit const OpDef kReduce{.name = "CollectiveReduceV2",
                              .infer = infer_reduce,
                              .kernel = reduce_kernel,
                              .vjp = reduce_vjp,
                              .linearity = Linearity::linear,
                              .flags = kExchanges,
                              .cost = exchange_cost,
                              .doc =
                                  "sum or mean of x over the processes of the group, of several tensors at "
                                  "once; gradient the same of g",
                              .sampler = {-2, 2, "2,3|"}};
constinit const OpDef kGather{.name = "CollectiveGatherV2",
                              .infer = infer_gather,
                              .kernel = gather_kernel,
                              .vjp = [](VjpContext& c) { c.set(0, reduce_scatter(c.grad())); },
                              .linearity = Linearity::linear,
                              .flags = kExchanges,
                              .cost = exchange_cost,
                              .doc = "the rows of all processes, by rank; gradient the reduce_scatter of g",
                              .sampler = {-2, 2, "2,3"}};
constinit const OpDef kScatter{
    .name = "CollectiveReduceScatterV2",
    .infer = infer_scatter,
    .kernel = scatter_kernel,
    .vjp = [](VjpContext& c) { c.set(0, all_gather(c.grad())); },
    .linearity = Linearity::linear,
    .flags = kExchanges,
    .cost = exchange_cost,
    .doc = "this process's rows of the sum over the processes; gradient the all_gather of g",
    .sampler = {-2, 2, "2,3"}};
constinit const OpDef kBroadcast{
    .name = "CollectiveBroadcast",
    .infer = infer_broadcast,
    .kernel = broadcast_kernel,
    .vjp = broadcast_vjp,
    .linearity = Linearity::linear,
    .flags = kExchanges,
    .cost = exchange_cost,
    .doc = "x of the process i[0]; gradient for that process the sum of all g, for the others zeros"};

constexpr const OpDef* kRows[] = {&kReduce, &kGather, &kScatter, &kBroadcast};

}  // namespace

std::span<const OpDef* const> parallel_ops() { return kRows; }

Tensor all_reduce(const Arg& x, ReduceOp reduction) {
  Attrs attrs;
  attrs.flags = reduction == ReduceOp::mean ? kMean : 0;
  return apply(kReduce, x, attrs);
}

std::vector<Tensor> all_reduce(std::span<const Tensor> x, ReduceOp reduction, Location location) {
  Attrs attrs;
  attrs.flags = reduction == ReduceOp::mean ? kMean : 0;
  TensorList sums;
  apply(kReduce, InputList(kReduce.name, x, location).inputs(), attrs, location, sums);
  return {sums.span().begin(), sums.span().end()};
}

Tensor all_gather(const Arg& x) { return apply(kGather, x); }

Tensor reduce_scatter(const Arg& x) { return apply(kScatter, x); }

Tensor broadcast(const Arg& x, int root) {
  if (root < 0 || root >= processes()) {
    fail(ErrorKind::value, "broadcast",
         fmt::format("root is {}, expected a rank from 0 to {}", root, processes() - 1), &x.location());
  }
  Attrs attrs;
  attrs.push(root);
  return apply(kBroadcast, x, attrs);
}

}  // namespace tapescope
