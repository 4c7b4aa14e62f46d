// Scores words by a vector each; sentences come in all lengths.
#include "report.h"

using namespace tapescope;

struct Scorer {
  explicit Scorer(bool open)
      : score("score", [this](const Tensor& ids) { return reduce_mean(gather(words, ids)); },
              {.arguments = {"ids"}, .input_signature = signature(open)}) {}
  static std::optional<std::vector<TensorSpec>> signature(bool open) {
    if (!open) return std::nullopt;
    return std::vector<TensorSpec>{{{-1}, DType::i32}};
  }

  Variable words{linspace(-1.0, 1.0, 12), {.name = "words"}};
  Function<Tensor(const Tensor&)> score;
};

int main(int argc, char**) {
  Scorer scorer(argc > 1);
  Tensor gradient;
  const std::vector<std::vector<std::int32_t>> sentences = {{1, 4, 2}, {5, 3}, {7, 8, 9, 1}, {2, 6, 3}};
  for (const auto& sentence : sentences) {
    const Tensor ids =
        constant(std::span<const std::int32_t>(sentence), {static_cast<std::int64_t>(sentence.size())});  //~
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = square(scorer.score(ids) - 0.5);  //!
    }
    gradient = tape.gradient(loss, scorer.words);
  }
  report("words", gradient);
  report_traces(scorer.score);
}
