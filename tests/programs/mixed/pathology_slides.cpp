// Grades slides of tissue: each slide has as many tiles as there is tissue on it.
#include "report.h"

using namespace tapescope;

class SlideGrader {
 public:
  explicit SlideGrader(bool any_number) : grade_("grade", [this](const Tensor& tiles, const Tensor& grade) {
          GradientTape tape;
          Tensor loss;
          {
            auto recording = tape.record();
            loss = square(score(tiles) - grade);
          }
          return tape.gradient(loss, {attention, head});
        }, options(any_number)) {}

  std::vector<Tensor> learn(const Tensor& tiles, double grade) const {
    return grade_(tiles, constant(grade));  //!
  }
  const auto& function() const { return grade_; }

  Variable attention{constant({0.3, -0.2, 0.1}), {.name = "attention"}};
  Variable head{constant({0.5, 0.4, -0.3}), {.name = "head"}};

 private:
  Tensor score(const Tensor& tiles) const {
    const Tensor share = softmax(matvec(tiles, attention));
    return reduce_sum(matvec(tiles, head) * share);
  }
  static FunctionOptions options(bool any_number) {
    FunctionOptions made{.arguments = {"tiles", "grade"}};
    if (any_number) made.input_signature = std::vector<TensorSpec>{{{-1, 3}}, {{}}};
    return made;
  }
  Function<std::vector<Tensor>(const Tensor&, const Tensor&)> grade_;
};

Tensor tiles_of(std::int64_t count) { return reshape(sin(linspace(0.0, 4.0, 3 * count)), {count, 3}); }

int main(int argc, char**) {
  const SlideGrader grader(argc > 1);
  SGD optimizer(0.05);
  std::vector<Tensor> gradients;
  int slide = 0;
  for (const std::int64_t count : {12, 9, 12, 15, 7, 9}) {
    gradients = grader.learn(tiles_of(count), 0.5 + 0.1 * slide++);  //~
    optimizer.apply_gradients(gradients, {grader.attention, grader.head});
  }
  report("attention", gradients[0]);
  report("head", gradients[1]);
  report_traces(grader.function());
}
