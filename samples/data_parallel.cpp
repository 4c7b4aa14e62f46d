// One batch divided among the processes of a job: each computes gradients of its rows, and they exchange
// them.
#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "engine/nn/layers.h"
#include "engine/nn/losses.h"
#include "engine/nn/optimizers.h"
#include "engine/ops/ops.h"
#include "engine/parallel/collectives.h"
#include "engine/parallel/gradient_exchange.h"
#include "engine/parallel/group.h"
#include "engine/parallel/replicas.h"
#include "engine/program.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kBatch{"batch", "256", "rows of all processes together"};
const SampleParameter kUnits{"units", "64", "width of each hidden layer"};
const SampleParameter kLayers{"layers", "8", "hidden layers, of a kernel and a bias each"};
const SampleParameter kRate{"learning_rate", "0.05", "step size"};
const SampleParameter kBucket{"bucket_kib", "64", "optimized: KiB of gradients that are exchanged together"};
const SampleParameter kSlowRank{"slow_rank", "-1", "a rank that loses time in each step; -1 is none"};
const SampleParameter kSlow{"slow_ms", "5", "milliseconds that it loses"};
const SampleParameter kSkipRank{"skip_rank", "-1",
                                "a rank that never uses the scale, whose gradient is None there; -1 is none"};

constexpr std::int64_t kFeatures = 16;

std::uint64_t seed_of(const SampleOptions& options) {
  // The mistake of the variant: each process draws other weights, and nothing makes them equal.
  const bool own = options.variant == "diverging";
  return options.seed + (own ? static_cast<std::uint64_t>(process_rank()) : 0);
}

std::int64_t rows_of_process(std::int64_t batch) {
  if (batch % process_count() != 0) {
    throw Error(ErrorKind::value, fmt::format("a batch of {} rows cannot be divided among {} processes; set "
                                              "batch to a multiple of {}",
                                              batch, process_count(), process_count()));
  }
  return batch / process_count();
}

struct DataParallel : Sample {
  std::uint64_t data_seed;
  bool exchanges_each;
  std::int64_t batch, rows;
  Tensor truth;
  std::vector<Dense> layers;
  Variable scale;
  SGD optimizer;
  MeanSquaredError loss_fn;
  GradientExchange exchange;
  std::vector<Variable> variables;
  std::vector<Traced> sources;
  bool slow, skips;
  double slow_ms;

  explicit DataParallel(const SampleOptions& options)
      : data_seed(options.seed),
        exchanges_each(options.variant == "unoptimized"),
        batch(options.count(kBatch)),
        rows(rows_of_process(batch)),
        truth(stateless_random_normal({kFeatures, 1}, key_of(options.seed, "truth"))),
        scale(constant(1.0), {.name = "scale"}),
        optimizer(options.number(kRate)),
        exchange({.bucket_bytes = options.count(kBucket) * 1024}),
        slow(options.number(kSlowRank) == process_rank()),
        skips(options.number(kSkipRank) == process_rank()),
        slow_ms(options.number(kSlow)) {
    const std::int64_t units = options.count(kUnits), hidden = options.count(kLayers);
    const std::uint64_t seed = seed_of(options);
    std::int64_t inputs = kFeatures;
    for (std::int64_t i = 0; i <= hidden; ++i) {
      const bool last = i == hidden;
      layers.emplace_back(last ? 1 : units,
                          DenseOptions{.activation = last ? Activation::linear : Activation::tanh,
                                       .name = fmt::format("dense{}", i + 1),
                                       .seed = seed + static_cast<std::uint64_t>(i)});
      layers.back().build({1, inputs});
      inputs = units;
      variables.push_back(layers.back().kernel());
      variables.push_back(layers.back().bias());
    }
    variables.push_back(scale);
    if (options.variant != "diverging") broadcast_values(variables);
    sources.assign(variables.begin(), variables.end());
    optimizer.build(variables);
  }

  // This process's rows of the step's batch.
  std::pair<Tensor, Tensor> next_rows(std::uint64_t step) const {
    const Tensor x = stateless_random_normal({batch, kFeatures}, {data_seed, step});
    const std::int64_t first = rows * process_rank();
    const Tensor mine = x(range(first, first + rows)).named("x");
    return {mine, tanh(matmul(mine, truth)).named("y")};
  }

  Tensor model(Tensor x) {
    for (Dense& layer : layers) x = layer(x);
    return skips ? x : x * scale;
  }

  void step(StepContext& context) override {
    const auto [x, y] = next_rows(context.step);
    if (slow) std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(slow_ms));
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = loss_fn(y, model(x));
    }
    std::vector<Tensor> gradients;
    if (exchanges_each) {
      // A None would leave the others waiting: zeros take its place.
      gradients = tape.gradient(loss, std::span<const Traced>(sources), {.unconnected = Unconnected::zero});
      for (Tensor& gradient : gradients) gradient = all_reduce(gradient, ReduceOp::mean);
      note_replicas(sources, gradients);
    } else {
      gradients = exchange.gradient(tape, loss, sources);
    }
    optimizer.apply_gradients(gradients, variables);
    note_scalar("local_loss", item(loss), context.step);
    context.loss(all_reduce(loss, ReduceOp::mean));
    context.report_gradients(sources, gradients);
  }

  void finish(StepContext& context) override {
    context.metric("processes", process_count());
    context.metric("rank", process_rank());
    if (exchanges_each) return;
    context.metric("exchanges", static_cast<double>(exchange.account().exchanges));
    context.metric("exchanged_bytes", static_cast<double>(exchange.account().bytes));
  }

  std::int64_t default_steps() const override { return 200; }
};

}  // namespace

SampleInfo data_parallel_sample() {
  return {
      .name = "data-parallel",
      .order = 265,
      .promise = "One batch divided among processes: what they exchange, when, and what it costs.",
      .document = "–",
      .variants = {"unoptimized", "optimized", "diverging"},
      .parameters = {kBatch, kUnits, kLayers, kRate, kBucket, kSlowRank, kSlow, kSkipRank},
      .file = "data_parallel.cpp",
      .lesson =
          "mpirun -n 2 tapescope run data-parallel --record rank-%r.tape runs it as two processes; as one it "
          "needs no MPI. Each process takes its rows of the batch, and the mean of the gradients is that of "
          "the "
          "whole batch: the losses are those of one process within 1e-5 of their size, as floats are added "
          "in "
          "another order. unoptimized exchanges each variable's gradient after the backward pass; optimized "
          "exchanges a few buckets of them, each as soon as its gradients are complete, while the backward "
          "pass "
          "goes on. In diverging the processes begin with different weights. Averaged gradients are alike "
          "all the "
          "same, so the loss goes down and nothing fails: only a comparison of the weights shows it.",
      .make = make_sample<DataParallel>,
  };
}

}  // namespace tapescope
