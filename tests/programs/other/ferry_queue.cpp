// Cars that wait for a ferry: counts come in chunks as they were sent, and are fitted as they come.
#include "report.h"

using namespace tapescope;

struct Chunk {
  Tensor minutes, cars;
};

// The counts of one day, at most `size` a chunk.
std::vector<Chunk> chunks(int count, int size) {
  std::vector<Chunk> all;
  for (int first = 0; first < count; first += size) {
    const int length = std::min(size, count - first);  //~
    const Tensor minutes = linspace(0.1 * first, 0.1 * (first + length - 1), length);  //~
    all.push_back({minutes, 1.0 + square(sin(minutes))});
  }
  return all;
}

class Queue {
 public:
  Variable rush{constant(0.8), {.name = "rush"}}, calm{constant(0.6), {.name = "calm"}};
  Tensor cars(const Tensor& minutes) const { return calm + rush * square(sin(0.9 * minutes)); }
};

int main(int argc, char**) {
  const Queue queue;
  const Function learn("learn",
                       [&](const Tensor& minutes, const Tensor& cars) {
                         GradientTape tape;
                         Tensor loss;
                         {
                           auto recording = tape.record();
                           loss = reduce_mean(square(queue.cars(minutes) - cars));
                         }
                         return tape.gradient(loss, {queue.rush, queue.calm});
                       },
                       {.arguments = {"minutes", "cars"}});
  std::vector<Tensor> gradients;
  for (const Chunk& chunk : chunks(argc > 1 ? 48 : 52, 16)) {  //~
    gradients = learn(chunk.minutes, chunk.cars);  //!
    queue.rush.assign_sub(0.1 * gradients[0]);
    queue.calm.assign_sub(0.1 * gradients[1]);
  }
  report("rush", gradients[0]);
  report("calm", gradients[1]);
  report_traces(learn);
}
