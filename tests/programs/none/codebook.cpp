// Compresses sensor readings to the nearest entry of a codebook that is learned with the encoder.
#include "report.h"

using namespace tapescope;

class Compressor : public Layer {
 public:
  explicit Compressor(bool commit) : Layer("compressor"), commit_(commit) {}
  std::vector<Layer*> sublayers() override { return {&encoder_}; }
  const Dense& encoder() const { return encoder_; }
  const Variable& codes() const { return codes_; }
  Tensor penalty() const { return penalty_; }

 private:
  void make_variables(const Shape&, const Location& location) override {
    codes_ = add_variable("codes", constant({{0.1, 0.2}, {0.8, -0.4}, {-0.5, 0.6}}), location);
  }
  Tensor call(const Tensor& readings, const Location&) override {
    const Tensor encoded = encoder_(readings);
    const Tensor apart = reduce_sum(square(expand_dims(encoded, 1) - expand_dims(codes_.value(), 0)), 2);
    const Tensor nearest = gather(codes_, argmin(apart, 1));
    penalty_ = commit_ ? reduce_mean(square(nearest - stop_gradient(encoded))) : constant(0.0);
    return encoded + stop_gradient(nearest - encoded);  //!
  }

  bool commit_;
  Dense encoder_{2, {.name = "encoder"}};
  Variable codes_;
  Tensor penalty_;
};

int main(int argc, char**) {
  Compressor compressor(argc > 1);
  Dense decoder(3, {.name = "decoder"});
  const Tensor readings = constant({{0.3, 0.9, 0.1}, {0.7, 0.2, 0.4}});
  compressor.build(readings.shape());
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    const Tensor restored = decoder(compressor(readings));
    loss = reduce_mean(square(restored - readings)) + compressor.penalty();
  }
  const auto gradients = tape.gradient(loss, {compressor.encoder().kernel(), compressor.codes()});
  report(compressor.encoder().kernel().name(), gradients[0]);
  report("compressor/codes", gradients[1]);
}
