// Loads a ship in float16: squares of tons leave the range of the type.
#include "report.h"

using namespace tapescope;

class Load {
 public:
  explicit Load(DType dtype)
      : share_(cast(constant({0.5, 0.3, 0.2}), dtype), {.name = "share"}), dtype_(dtype) {}
  Tensor trim(const Tensor& tons) const {
    const Tensor moment = share_ * cast(tons, dtype_);
    return reduce_mean(cast(square(moment), DType::f32)) * 1e-6;  //!
  }
  const Variable& share() const { return share_; }

 private:
  Variable share_;
  DType dtype_;
};

int main(int argc, char**) {
  const Load load(argc > 1 ? DType::f32 : DType::f16);  //~
  const Tensor tons = constant({900.0, 1200.0, 400.0}).named("tons");
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = load.trim(tons);
  }
  report("share", tape.gradient(loss, load.share()));
}
