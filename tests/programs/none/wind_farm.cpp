// The yield of a wind farm: one task for each row of turbines, added up.
#include <future>

#include "report.h"

using namespace tapescope;

class Farm {
 public:
  Tensor row(int number, const Tensor& wind) const {
    const Tensor slowed = wind * pow(1.0 - wake_, static_cast<double>(number));  //!
    const Tensor power = sigmoid(1.5 * (slowed - 8.0));
    return reduce_sum(power) * cos(yaw_);
  }

  Tensor yield(const Tensor& wind, bool in_parallel) const {
    std::vector<Tensor> rows(4);
    if (in_parallel) {
      std::vector<std::future<Tensor>> tasks;
      for (int i = 0; i < 4; ++i) {
        tasks.push_back(std::async(std::launch::async, [&, i] { return row(i, wind); }));  //~
      }
      for (int i = 0; i < 4; ++i) rows[i] = tasks[i].get();
    } else {
      for (int i = 0; i < 4; ++i) rows[i] = row(i, wind);
    }
    return add_n(rows) - 0.2 * square(yaw_);
  }
  const Variable& wake() const { return wake_; }
  const Variable& yaw() const { return yaw_; }

 private:
  Variable wake_{constant(0.08), {.name = "wake"}};
  Variable yaw_{constant(0.1), {.name = "yaw"}};
};

int main(int argc, char**) {
  const Farm farm;
  const Tensor wind = constant({6.0, 8.5, 11.0, 9.0});
  GradientTape tape;
  Tensor yield;
  {
    auto recording = tape.record();
    yield = farm.yield(wind, /*in_parallel=*/argc == 1);
  }
  const auto gradients = tape.gradient(yield, {farm.wake(), farm.yaw()});
  report("wake", gradients[0]);
  report("yaw", gradients[1]);
}
