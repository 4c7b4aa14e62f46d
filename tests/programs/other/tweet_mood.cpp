// Mood of short messages: words are numbers, a message is as long as its author made it.
#include <sstream>

#include "report.h"

using namespace tapescope;

struct Vocabulary {
  std::map<std::string, std::int32_t> numbers;

  std::vector<std::int32_t> encode(const std::string& message) {
    std::istringstream words(message);
    std::vector<std::int32_t> encoded;
    for (std::string word; words >> word;)
      encoded.push_back(numbers.emplace(word, numbers.size() % 30).first->second);
    return encoded;
  }
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const char* messages[] = {"what a lovely day", "the train is late again today", "never again",
                            "lovely weather this morning is", "late again and nobody says why"};
  const double moods[] = {0.9, 0.2, 0.1, 0.8, 0.2};
  const Variable table(stateless_random_normal({30, 4}, {6, 1}), {.name = "table"});
  const Variable direction(stateless_random_normal({4}, {6, 2}), {.name = "direction"});

  FunctionOptions options{.arguments = {"words", "mood"}};
  if (fixed)
    options.input_signature =
        std::vector<TensorSpec>{{.dims = {TensorSpec::kAny}, .dtype = DType::i32}, {.dims = {}}};
  const Function loss_of(
      "loss_of",
      [&](const Tensor& words, const Tensor& mood) {
        const Tensor message = reduce_mean(gather(table, words), 0);
        return square(sigmoid(reduce_sum(message * direction)) - mood);
      },
      options);

  Vocabulary vocabulary;
  Tensor gradient;
  for (int i = 0; i < 5; ++i) {
    const std::vector<std::int32_t> words = vocabulary.encode(messages[i]);
    const Tensor encoded =
        constant(std::span<const std::int32_t>(words), {static_cast<std::int64_t>(words.size())});
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = loss_of(encoded, constant(moods[i]));  //!
    }
    gradient = tape.gradient(loss, direction);
    direction.assign_sub(0.1 * gradient);
  }
  report("direction", gradient);
  report_traces(loss_of);
}
