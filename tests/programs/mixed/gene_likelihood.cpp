// How likely a gene's letters are under a mixture of two compositions; the share of the second is learned.
#include "report.h"

using namespace tapescope;

std::vector<int> letters(int length) {
  std::vector<int> all;
  for (int i = 0; i < length; ++i) all.push_back((i * i + i / 3) % 4);
  return all;
}

struct Composition {
  Variable logits;
  Tensor of(const Tensor& letters) const { return gather(softmax(logits), letters); }
};

Tensor surprise(const Composition& coding, const Composition& spacer, const Variable& share,
                const Tensor& gene, bool by_logs) {
  const Tensor mix = sigmoid(share);
  const Tensor each = mix * coding.of(gene) + (1.0 - mix) * spacer.of(gene);
  if (by_logs) return -reduce_sum(log(each));
  const Tensor whole = reduce_prod(each);  //~
  return -log(whole);  //!
}

int main(int argc, char**) {
  const Composition coding{Variable(constant({0.3, -0.1, 0.2, 0.0}), {.name = "coding"})};
  const Composition spacer{Variable(constant({-0.2, 0.4, 0.0, 0.1}), {.name = "spacer"})};
  const Variable share(0.2, {.name = "share"});
  std::vector<Tensor> gradients;
  for (const int length : {20, 40, 90}) {
    const Tensor gene = constant(letters(length));
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = surprise(coding, spacer, share, gene, argc > 1) / static_cast<double>(length);
    }
    gradients = tape.gradient(loss, std::vector<Variable>{coding.logits, spacer.logits, share});
    if (length < 90) share.assign_sub(0.1 * gradients[2]);
  }
  report("coding", gradients[0]);
  report("spacer", gradients[1]);
  report("share", gradients[2]);
}
