// The keys drawn in a block, kept so that the same block can be run again with the same random numbers.
#pragma once
#include <vector>

#include "engine/ops/creation.h"

namespace tapescope {

// While it lives, keys drawn on this thread are noted, or come from those noted before. Blocks may nest.
class RandomDraws {
 public:
  enum class Use { note, replay };
  RandomDraws(std::vector<RandomKey>& keys, Use use);
  ~RandomDraws();
  RandomDraws(const RandomDraws&) = delete;
  RandomDraws& operator=(const RandomDraws&) = delete;

  RandomKey next();

 private:
  std::vector<RandomKey>& keys_;
  Use use_;
  std::size_t position_ = 0;
  RandomDraws* outer_;
};

}  // namespace tapescope
