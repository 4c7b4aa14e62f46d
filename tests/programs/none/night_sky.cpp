// Maps star positions from one camera to another; calibrated parameters are loaded from the last night.
#include "report.h"

using namespace tapescope;

class Camera {
 public:
  Camera() { refresh(); }

  void load(const Tensor& rotation, const Tensor& shift) {
    rotation_.assign(rotation);  //~
    shift_.assign(shift);
  }
  void refresh() { matrix_ = rotation_.value(); }  //!
  Tensor map(const Tensor& stars) const { return matmul(stars, matrix_) + shift_; }  //~
  const Variable& rotation() const { return rotation_; }
  const Variable& shift() const { return shift_; }

 private:
  Variable rotation_{eye(2), {.name = "rotation"}};
  Variable shift_{constant({0.0, 0.0}), {.name = "shift"}};
  Tensor matrix_;
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  Camera camera;
  camera.load(constant({{0.99, 0.1}, {-0.1, 0.99}}), constant({0.02, -0.01}));
  const Tensor stars = constant({{0.1, 0.8}, {-0.5, 0.3}, {0.7, -0.2}}),
               seen = constant({{0.1, 0.8}, {-0.4, 0.2}, {0.7, -0.1}});
  GradientTape tape;
  Tensor apart;
  {
    auto recording = tape.record();
    if (fixed) camera.refresh();
    apart = reduce_mean(square(camera.map(stars) - seen));
  }
  const auto gradients = tape.gradient(apart, {camera.rotation(), camera.shift()});
  report("rotation", gradients[0]);
  report("shift", gradients[1]);
}
