// A user's program of several processes: replicas STEPS [MILLISECONDS]. Each fits its part of the points, and
// rests so long in each step; mpirun starts them.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "engine/tapescope.h"

using namespace tapescope;

int main(int argc, char** argv) {
  const std::uint64_t steps = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 50;
  const std::chrono::milliseconds rest(argc > 2 ? std::atoi(argv[2]) : 0);
  const Tensor x = stateless_random_normal({64, 4}, {1, static_cast<std::uint64_t>(process_rank())});
  const Tensor y = reduce_sum(x, {1});
  const Variable w(zeros({4, 1}), {.name = "w"}), b(constant(0.0), {.name = "b"});
  const std::vector<Traced> sources{w, b};
  SGD optimizer(0.01);
  GradientExchange exchange;
  for (std::uint64_t step = 0; step < steps; ++step) {
    note_step_begin(step, 0);
    std::this_thread::sleep_for(rest);
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(reshape(matmul(x, w), {-1}) + b - y));
    }
    optimizer.apply_gradients(exchange.gradient(tape, loss, sources), {w, b});
    note_scalar("loss", item(loss), step);
    note_step_end(step, 0, false);
  }
  std::printf("rank %d of %d: b %.6f\n", process_rank(), process_count(), item(b));
}
