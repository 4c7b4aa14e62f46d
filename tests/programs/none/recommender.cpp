// Matrix factorization of ratings; the embeddings of the items are looked up once for all batches.
#include "report.h"

using namespace tapescope;

class Factors {
 public:
  Factors()
      : users_(constant({{0.1, 0.9}, {0.8, 0.2}, {0.5, 0.5}}), {.name = "users"}),
        items_(constant({{0.7, 0.1}, {0.2, 0.6}}), {.name = "items"}) {}

  Tensor item_vectors() const { return l2_normalize(items_, 1); }  //~
  Tensor ratings(const Tensor& who, const Tensor& items) const {
    return matmul(gather(users_, who), items, false, true);
  }
  const Variable& users() const { return users_; }
  const Variable& items() const { return items_; }

 private:
  Variable users_, items_;
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Factors factors;
  const std::vector<Tensor> batches = {constant({0, 1}, DType::i32), constant({1, 2}, DType::i32)};
  const std::vector<Tensor> given = {constant({{4.0, 2.0}, {1.0, 5.0}}), constant({{2.0, 4.0}, {3.0, 3.0}})};

  const Tensor looked_up = factors.item_vectors();  //!
  Tensor to_users, to_items;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor items = fixed ? factors.item_vectors() : looked_up;
      loss = reduce_mean(square(5.0 * factors.ratings(batches[i], items) - given[i]));
    }
    const auto gradients = tape.gradient(loss, {factors.users(), factors.items()});
    to_users = gradients[0], to_items = gradients[1];
  }
  report("users", to_users);
  report("items", to_items);
}
