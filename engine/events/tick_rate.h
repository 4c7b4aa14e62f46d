// A rate of the event clock that is given instead of measured, for answers that are the same on every
// machine. With 0 nothing takes any time.
#pragma once

namespace tapescope {

// While it lives nanoseconds_per_tick() is this, in all threads. One at a time.
class GivenTickRate {
 public:
  explicit GivenTickRate(double nanoseconds);
  ~GivenTickRate();
  GivenTickRate(const GivenTickRate&) = delete;
  GivenTickRate& operator=(const GivenTickRate&) = delete;
};

}  // namespace tapescope
