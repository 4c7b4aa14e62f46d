// Reads addresses on letters, which are as long as they are: scores of letters, then of the whole line.
#include "report.h"

using namespace tapescope;

class Reader {
 public:
  explicit Reader(std::size_t padded) : padded_(padded) {}
  Variable strokes{reshape(sin(linspace(0.0, 4.0, 9)), {3, 3}), {.name = "strokes"}};

  Tensor line(const std::string& text) {
    const Tensor marks = seen(text);
    return line_(marks);  //!
  }
  const auto& traced() const { return line_; }

 private:
  Tensor seen(const std::string& text) const {
    std::vector<double> marks(3 * std::max(padded_, text.size()), 0.0);
    for (std::size_t i = 0; i < text.size(); ++i) marks[3 * i + text[i] % 3] = 0.1 * (text[i] % 7);
    return constant(std::span<const double>(marks), {static_cast<std::int64_t>(marks.size() / 3), 3});  //~
  }

  std::size_t padded_;
  Function<Tensor(const Tensor&)> line_{
      "line",
      [this](const Tensor& marks) { return reduce_sum(square(tanh(matmul(marks, strokes)))); },
      {.arguments = {"marks"}}};
};

int main(int argc, char**) {
  Reader reader(argc > 1 ? 24 : 0);
  const std::vector<std::string> letters{"12 Mill Lane", "4 Quay", "90 High Street", "7 Quay",
                                         "12 Mill Lane"};
  Tensor gradient;
  for (const std::string& letter : letters) {
    GradientTape tape;
    Tensor score;
    {
      auto recording = tape.record();
      score = reader.line(letter);  //~
    }
    gradient = tape.gradient(score, reader.strokes);
    reader.strokes.assign_sub(0.01 * gradient);
  }
  report("strokes", gradient);
  report_traces(reader.traced());
}
