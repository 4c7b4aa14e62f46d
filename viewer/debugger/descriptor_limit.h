// How many files and sockets may be open: a job of some hundred ranks takes five a rank, and 1,024 are usual.
#pragma once
#include <sys/resource.h>

namespace tapescope {

// Up to what the system lets this process have.
void raise_descriptor_limit();

// While it lives the limit is what it was before it was raised: for what a program that starts now inherits.
class FormerDescriptorLimit {
 public:
  FormerDescriptorLimit();
  ~FormerDescriptorLimit();
  FormerDescriptorLimit(const FormerDescriptorLimit&) = delete;
  FormerDescriptorLimit& operator=(const FormerDescriptorLimit&) = delete;

 private:
  rlimit raised_{};
};

}  // namespace tapescope
