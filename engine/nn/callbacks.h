// What may look on while a model is trained, and stop it.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/core/public.h"
#include "engine/nn/optimizer.h"

namespace tapescope TAPESCOPE_PUBLIC {

// Results by metric: "loss", "accuracy", and "val_loss" ... of the validation data.
using Logs = std::map<std::string, double, std::less<>>;

class Callback {
 public:
  virtual ~Callback() = default;
  virtual void train_begin() {}
  virtual void epoch_begin(std::int64_t /*epoch*/) {}
  // After each batch, with the results of the epoch so far.
  virtual void batch_end(std::int64_t /*batch*/, const Logs&) {}
  virtual void epoch_end(std::int64_t /*epoch*/, const Logs&) {}
  // Asked after each epoch.
  virtual bool wants_stop() const { return false; }
};

// Stops once `monitor` has not fallen by more than min_delta for `patience` epochs. Throws ValueError at the
// first epoch's end when there is no such result.
class EarlyStopping : public Callback {
 public:
  explicit EarlyStopping(std::string monitor = "val_loss", std::int64_t patience = 0, double min_delta = 0)
      : monitor_(std::move(monitor)), patience_(patience), min_delta_(min_delta) {}
  void train_begin() override;
  void epoch_end(std::int64_t epoch, const Logs& logs) override;
  bool wants_stop() const override { return stop_; }

 private:
  std::string monitor_;
  std::int64_t patience_, waited_ = 0;
  double min_delta_, best_ = 0;
  bool any_ = false, stop_ = false;
};

// Sets the learning rate to initial * decay^epoch when an epoch begins.
class ExponentialSchedule : public Callback {
 public:
  ExponentialSchedule(const Optimizer& optimizer, double initial, double decay)
      : optimizer_(optimizer), initial_(initial), decay_(decay) {}
  void epoch_begin(std::int64_t epoch) override;

 private:
  const Optimizer& optimizer_;
  double initial_, decay_;
};

// One line on standard error, rewritten as batches go by; shows nothing where that is no terminal.
class ProgressLine : public Callback {
 public:
  ProgressLine(std::int64_t epochs, std::int64_t batches);
  void epoch_begin(std::int64_t epoch) override;
  void batch_end(std::int64_t batch, const Logs& logs) override;
  void epoch_end(std::int64_t epoch, const Logs& logs) override;
  // "Epoch 2/5  17/938  accuracy: 0.9412  loss: 0.2011"
  std::string text(std::int64_t batch, const Logs& logs) const;

 private:
  bool terminal_;
  std::int64_t epochs_, batches_, epoch_ = 0;
  double shown_at_ = 0;  // seconds
};

}  // namespace tapescope
