// Q-learning in a maze of six rooms: the value of the next room comes from a slower copy and is held
// constant.
#include "report.h"

using namespace tapescope;

struct Walk {
  Tensor room, door, reward, next;
};

struct QTable {
  Variable values;
  Tensor operator()(const Tensor& rooms) const { return matmul(one_hot(rooms, 6), values); }
};

Tensor rooms(std::vector<std::int32_t> numbers) {
  return constant(std::span<const std::int32_t>(numbers), {static_cast<std::int64_t>(numbers.size())});
}

int main() {
  const QTable online{Variable(stateless_random_normal({6, 3}, {31, 1}, 0, 0.1), {.name = "online"})};
  const QTable slow{Variable(online.values.value(), {.name = "slow", .trainable = false})};
  const Walk walk{.room = rooms({0, 1, 2, 4}),
                  .door = rooms({0, 2, 1, 1}),
                  .reward = constant({0.0, 0.0, 1.0, 0.0}),
                  .next = rooms({1, 2, 5, 3})};
  Tensor gradient;
  for (int step = 0; step < 8; ++step) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor wanted = stop_gradient(walk.reward + 0.9 * reduce_max(slow(walk.next), 1));
      const Tensor taken = reduce_sum(online(walk.room) * one_hot(walk.door, 3), 1);
      loss = reduce_mean(square(taken - wanted));
    }
    gradient = tape.gradient(loss, online.values);
    online.values.assign_sub(0.3 * gradient);
    if (step % 4 == 3) slow.values.assign(online.values.value());
  }
  report("online", gradient);
}
