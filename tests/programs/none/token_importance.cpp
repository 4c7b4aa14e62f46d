// Which word of a review speaks for its rating.
#include "report.h"

using namespace tapescope;

class Rater {
 public:
  Rater() { head_.build({1, 2}); }
  Tensor vectors(const Tensor& words) { return words_(words); }  //~
  Tensor rating(const Tensor& vectors) {
    return squeeze(head_(expand_dims(reduce_mean(tanh(vectors), 0), 0)));
  }

 private:
  Embedding words_{6, 2, {.name = "words"}};
  Dense head_{1, {.name = "head"}};
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  Rater rater;
  const Tensor review = constant({2, 4, 1, 3}, DType::i32).named("review");  //!
  Tensor vectors;
  GradientTape tape;
  Tensor rating;
  {
    auto recording = tape.record();
    tape.watch(review);  //~
    vectors = rater.vectors(review).named("vectors");  //~
    rating = rater.rating(vectors);
  }
  const Tensor importance = tape.gradient(rating, fixed ? vectors : review);
  report(fixed ? "vectors" : "review", importance);
}
