// Plans how a gripper closes around an egg: torques by joint, squashed to what the motors can do.
#include "report.h"

using namespace tapescope;

using Joints = std::map<std::string, Variable>;

class Plan {
 public:
  Plan(const Joints& joints, double limit) : joints_(joints), limit_(limit) {
    for (const auto& [joint, raw] : joints_) torque_[joint] = squash(raw);  //~
  }
  Tensor squash(const Variable& raw) const { return limit_ * tanh(raw / limit_); }  //!
  const Tensor& torque(const std::string& joint) const { return torque_.at(joint); }
  void refresh() {
    for (const auto& [joint, raw] : joints_) torque_[joint] = squash(raw);
  }

 private:
  Joints joints_;
  double limit_;
  std::map<std::string, Tensor> torque_;
};

Tensor closing(const Plan& plan, const Variable& stiffness, int steps) {
  Tensor angle = constant({0.0, 0.0}), speed = constant({0.0, 0.0});
  for (int step = 0; step < steps; ++step) {
    const Tensor push = stack({plan.torque("thumb")[step], plan.torque("finger")[step]});
    speed = 0.9 * speed + 0.1 * (push - stiffness * angle);
    angle = angle + 0.1 * speed;
  }
  return angle;
}

int main(int argc, char**) {
  const Joints joints{{"thumb", Variable(linspace(0.4, 0.9, 8), {.name = "thumb"})},
                      {"finger", Variable(linspace(0.2, 0.7, 8), {.name = "finger"})}};
  const Variable stiffness(0.6, {.name = "stiffness"});
  const Tensor effort = cast(constant(std::vector<int>{1, 2}), DType::f32);
  Plan plan(joints, 2.0);
  GradientTape tape;
  Tensor cost;
  {
    auto recording = tape.record();
    if (argc > 1) plan.refresh();
    cost = reduce_sum(effort * square(closing(plan, stiffness, 8) - 0.2));  //~
  }
  auto gradients = tape.gradient(cost, joints);
  report("finger", gradients.at("finger"));
  report("thumb", gradients.at("thumb"));
}
