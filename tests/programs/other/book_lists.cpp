// Learns which books are borrowed together: a vector for each of 20,000 books, eight loans a day.
#include "report.h"

using namespace tapescope;

struct Catalogue {
  Variable books{stateless_random_normal({20000, 16}, {17, 1}, 0, 0.1), {.name = "books"}};

  Tensor closeness(const Tensor& first, const Tensor& second) const {
    return reduce_sum(gather(books, first) * gather(books, second), 1);
  }
};

Tensor loans(int day, int offset) {
  std::vector<std::int32_t> books;
  for (int i = 0; i < 8; ++i) books.push_back((day * 613 + i * 977 + offset) % 20000);
  return constant(std::span<const std::int32_t>(books), {8});
}

int main(int argc, char**) {
  const Catalogue catalogue;
  SGD optimizer(0.5);
  Tensor gradient;
  for (int day = 0; day < 5; ++day) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(softplus(-catalogue.closeness(loans(day, 0), loans(day, 5))));
    }
    gradient = tape.gradient(loss, catalogue.books);
    if (argc > 1) {
      optimizer.apply_gradients(std::vector{gradient}, {catalogue.books});
    } else {
      catalogue.books.assign_sub(0.5 * gradient);  //!
    }
  }
  report("books", gradient);
}
