// Trains a decoder on the codes of an encoder, first alone and then together with it.
#include "report.h"

using namespace tapescope;

struct Autoencoder {
  Dense encoder{2, {.activation = Activation::tanh, .name = "encoder"}};
  Dense decoder{3, {.name = "decoder"}};
};

Tensor distance(const Tensor& a, const Tensor& b) { return reduce_mean(square(a - b)); }

int main(int argc, char**) {
  const bool fixed = argc > 1;
  Autoencoder net;
  net.encoder.build({4, 3});
  net.decoder.build({4, 2});
  const Tensor spectra = constant({{0.1, 0.8, 0.3}, {0.4, 0.2, 0.9}, {0.7, 0.5, 0.1}, {0.2, 0.2, 0.6}});

  GradientTape tape;
  Tensor codes, loss;
  {
    auto recording = tape.record();
    codes = net.encoder(spectra);  //!
    loss = distance(net.decoder(stop_gradient(codes)), spectra);
  }
  const Tensor alone = tape.gradient(loss, net.decoder.kernel());  //~
  net.decoder.kernel().assign_sub(0.1 * alone);
  {
    auto recording = tape.record();  //~
    if (fixed) codes = net.encoder(spectra);
    loss = distance(net.decoder(codes), spectra);
  }
  const auto both = tape.gradient(loss, {net.encoder.kernel(), net.decoder.kernel()});
  report("encoder/kernel", both[0]);
  report("decoder/kernel", both[1]);
}
