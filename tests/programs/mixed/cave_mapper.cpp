// Maps a cave by echoes: an actor chooses where to send the next one, a slow critic says what it was worth.
#include "report.h"

using namespace tapescope;

class Critic {
 public:
  explicit Critic(const std::string& name, bool trainable = true)
      : kernel_(constant({{0.2, -0.1}, {0.4, 0.3}, {-0.3, 0.1}}),
                {.name = name + "/kernel", .trainable = trainable}),
        worth_(constant({0.5, 0.8}), {.name = name + "/worth", .trainable = trainable}) {}

  Tensor operator()(const Tensor& echoes) const { return matvec(tanh(matmul(echoes, kernel_)), worth_); }
  std::vector<Variable> variables() const { return {kernel_, worth_}; }
  void approach(const Critic& other) const {
    kernel_.assign_add(0.05 * (other.kernel_ - kernel_));
    worth_.assign_add(0.05 * (other.worth_ - worth_));
  }

 private:
  Variable kernel_, worth_;
};

// Distances of echoes that never came back are zeros and count nothing.
Tensor inverse_distance(const Tensor& distances) {
  const Tensor heard = distances > 0.0;
  const Tensor safe = where(heard, distances, 1.0);
  return where(heard, 1.0 / safe, 0.0);
}

int main() {
  const Critic critic("critic"), slow("slow", false);
  const Variable aim(constant({0.3, 0.1, -0.2}), {.name = "aim"});
  const Tensor distances = constant({{2.0, 0.0, 4.0}, {1.0, 3.0, 0.0}, {0.0, 5.0, 2.5}});
  std::vector<Tensor> by_critic;
  Tensor by_aim;
  for (int echo = 0; echo < 5; ++echo) {
    GradientTape tape({.persistent = true});
    Tensor error, regret;
    {
      auto recording = tape.record();
      const Tensor echoes = inverse_distance(distances);
      const Tensor target = stop_gradient(0.9 * slow(echoes) + reduce_sum(echoes, 1));
      error = reduce_mean(square(critic(echoes) - target));
      regret = -reduce_mean(critic(echoes * softmax(aim)));
    }
    by_critic = tape.gradient(error, critic.variables());
    by_aim = tape.gradient(regret, aim);
    const auto variables = critic.variables();
    for (std::size_t i = 0; i < variables.size(); ++i) variables[i].assign_sub(0.1 * by_critic[i]);
    aim.assign_sub(0.1 * by_aim);
    slow.approach(critic);
  }
  report("critic/kernel", by_critic[0]);
  report("critic/worth", by_critic[1]);
  report("aim", by_aim);
}
