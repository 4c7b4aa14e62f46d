// Predicts how long the doors of a tram stay open. The encoder is kept apart so that it can be exchanged.
#include <functional>
#include <thread>

#include "report.h"

using namespace tapescope;

class Doors {
 public:
  Dense encoder{4, {.activation = Activation::tanh, .name = "encoder", .seed = 2}};
  Dense seconds{1, {.name = "seconds", .seed = 2}};

  Tensor encode(const Tensor& crowd) { return encoder(crowd); }  //~
  Tensor open_for(const Tensor& codes) { return squeeze(seconds(codes), 1); }
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  Doors doors;
  const Tensor crowd = constant({{3.0, 1.0}, {12.0, 4.0}, {7.0, 7.0}}) / 10.0;
  const Tensor measured = constant({4.0, 14.0, 11.0});
  doors.encoder.build(crowd.shape());
  doors.seconds.build({3, 4});
  GradientTape tape;
  Tensor loss, codes;
  {
    auto recording = tape.record();
    const auto encode = [&] { codes = doors.encode(crowd); };  //!
    if (fixed) {
      encode();
    } else {
      std::thread worker(encode);  //~
      worker.join();
    }
    loss = reduce_mean(square(doors.open_for(codes) - measured));
  }
  const auto gradients =
      tape.gradient(loss, {doors.encoder.kernel(), doors.encoder.bias(), doors.seconds.kernel()});
  report("encoder/kernel", gradients[0]);
  report("encoder/bias", gradients[1]);
  report("seconds/kernel", gradients[2]);
}
