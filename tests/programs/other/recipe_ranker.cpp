// Ranks recipes for a cook; the cook's profile is read from the file before each evening.
#include "report.h"

using namespace tapescope;

struct Profile {
  double spice, time;
};

std::shared_ptr<Profile> read_profile() { return std::make_shared<Profile>(Profile{0.7, 0.4}); }

class Ranker {
 public:
  Tensor score(const Tensor& recipes, const std::shared_ptr<Profile>& cook) const {
    return score_(recipes, cook);  //!
  }
  const auto& function() const { return score_; }

 private:
  Variable taste_{constant({0.5, -0.2}), {.name = "taste"}};
  Function<Tensor(const Tensor&, std::shared_ptr<Profile>)> score_{
      "score",
      [this](const Tensor& recipes, std::shared_ptr<Profile> cook) {
        return matvec(recipes, taste_ * constant({cook->spice, cook->time}));
      },
      {.arguments = {"recipes", "cook"}}};
};

int main(int argc, char**) {
  const Ranker ranker;
  const Tensor recipes = constant({{0.9, 30.0}, {0.1, 15.0}, {0.5, 60.0}}).named("recipes");
  const auto known = read_profile();
  for (int evening = 0; evening < 5; ++evening) {
    const auto cook = argc > 1 ? known : read_profile();  //~
    const Tensor scores = ranker.score(recipes, cook);  //~
    std::printf("best %.2f\n", element(reduce_max(scores), 0));
  }
  report_traces(ranker.function());
}
