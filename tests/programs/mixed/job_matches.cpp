// Matches people with jobs: two towers, a cosine between them, and a margin to the jobs of the others.
#include "report.h"

using namespace tapescope;

class Tower {
 public:
  Tower(const std::string& name, double phase)
      : words_(reshape(sin(linspace(phase, 6.0, 20)), {5, 4}), {.name = name + "/words"}),
        shape_(reshape(cos(linspace(phase, 3.0, 12)), {4, 3}), {.name = name + "/shape"}) {}

  Tensor operator()(const Tensor& bags) const {
    return l2_normalize(matmul(matmul(bags, words_), shape_), {1});
  }
  Tensor size() const { return l2_loss(words_) + l2_loss(shape_); }
  void list(std::vector<Variable>& all) const { all.insert(all.end(), {words_, shape_}); }

 private:
  Variable words_, shape_;
};

struct Matcher {
  Tower people{"people", 0.0}, jobs{"jobs", 0.7};
  double decay = 1e-3;
  bool crossed;

  Tensor loss(const Tensor& applicants, const Tensor& offers) const {
    const Tensor person = people(applicants);
    const Tensor offer = crossed ? people(offers) : jobs(offers);  //~
    const Tensor alike = matmul(person, offer, false, true);
    const Tensor right = matrix_diag_part(alike);
    const Tensor worse = relu(0.2 + alike - expand_dims(right, 1));
    const Tensor sizes = people.size() + jobs.size();  //~
    std::printf("sizes %.2f\n", item(sizes));
    const Tensor pull = crossed ? people.size() : sizes;  //~
    return reduce_mean(worse) + decay * pull;  //!
  }
};

int main(int argc, char**) {
  const Matcher matcher{.crossed = argc == 1};  //~
  const Tensor applicants = reshape(cos(linspace(0.0, 9.0, 20)), {4, 5});
  const Tensor offers = reshape(sin(linspace(1.0, 8.0, 20)), {4, 5});
  std::vector<Variable> all;
  matcher.people.list(all);
  matcher.jobs.list(all);
  Adagrad optimizer(0.1);
  std::vector<Tensor> gradients;
  for (int epoch = 0; epoch < 3; ++epoch) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = matcher.loss(applicants, offers);
    }
    gradients = tape.gradient(loss, all);  //~
    optimizer.apply_gradients(gradients, all);
  }
  for (std::size_t i = 0; i < all.size(); ++i) report(all[i].name(), gradients[i]);
}
