// Mean rating of each hotel from the reviews of guests; a new hotel has none yet.
#include "report.h"

using namespace tapescope;

struct Reviews {
  Tensor stars = constant({4.0, 5.0, 2.0, 3.0, 4.0}).named("stars");
  Tensor hotel;
  std::int64_t hotels = 4;
};

Tensor mean_rating(const Tensor& stars, const Reviews& reviews, bool fixed) {
  const Tensor total = unsorted_segment_sum(stars, reviews.hotel, reviews.hotels);
  const Tensor count = unsorted_segment_sum(ones_like(stars), reviews.hotel, reviews.hotels);
  return fixed ? divide_no_nan(total, count) : total / count;  //!
}

int main(int argc, char**) {
  Reviews reviews;
  const std::vector<std::int32_t> hotel = {0, 0, 1, 3, 3};
  reviews.hotel = constant(std::span<const std::int32_t>(hotel), {5});
  const Variable leniency(constant({0.1, 0.2, -0.1, 0.0, 0.3}), {.name = "leniency"});
  const Tensor official = constant({4.2, 2.5, 0.0, 3.6}).named("official");
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    const Tensor corrected = reviews.stars - leniency;
    loss = reduce_mean(square(mean_rating(corrected, reviews, argc > 1) - official));
  }
  report("leniency", tape.gradient(loss, leniency));
}
