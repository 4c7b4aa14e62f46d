// Weights of an antenna array that listens to one direction and is deaf to the others.
#include "report.h"

using namespace tapescope;

class Array {
 public:
  explicit Array(std::int64_t elements) : places_(linspace(0.0, 1.0, elements)) {}
  Variable weights{fill({12}, 0.1), {.name = "weights"}};
  Variable loading{constant(0.2), {.name = "loading"}};

  Tensor steering(const Tensor& angles) const {
    return cos(expand_dims(sin(angles), 1) * expand_dims(places_, 0) * 18.0);
  }
  Tensor noise_whitener(const Tensor& jammers) const {
    const Tensor steer = steering(jammers);
    const Tensor covariance = matmul(steer, steer, true) + 0.5 * eye(12);
    return matrix_inverse(covariance);  //!
  }
  Tensor response(const Tensor& angle) const { return matvec(steering(angle), weights); }

 private:
  Tensor places_;
};

struct Scene {
  Tensor wanted = constant({0.1}), jammers = linspace(-1.2, 1.2, 30);
};

class Beamformer {
 public:
  Beamformer(const Array& array, const Scene& scene, bool prepared) : array_(array), scene_(scene) {
    if (prepared) whitener_ = array.noise_whitener(scene.jammers);
  }
  Tensor objective() const {
    const Tensor whitener = whitener_ ? whitener_ : array_.noise_whitener(scene_.jammers);  //~
    const Tensor leak = reduce_sum(array_.weights * matvec(whitener, array_.weights));
    return leak + array_.loading * reduce_sum(square(array_.weights)) +
           reduce_mean(square(array_.response(scene_.wanted) - 1.0));
  }

 private:
  const Array& array_;
  const Scene& scene_;
  Tensor whitener_;
};

int main(int argc, char**) {
  const Array array(12);
  const Scene scene;
  const Beamformer beamformer(array, scene, argc > 1);
  std::vector<Tensor> gradients;
  for (int snapshot = 0; snapshot < 8; ++snapshot) {
    GradientTape tape;
    Tensor power;
    {
      auto recording = tape.record();
      power = beamformer.objective();  //~
    }
    gradients = tape.gradient(power, {array.weights, array.loading});
    array.weights.assign_sub(0.05 * gradients[0]);
  }
  report("weights", gradients[0]);
  report("loading", gradients[1]);
}
