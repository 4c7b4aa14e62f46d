// GradientTape: records what is computed and walks it backwards.
//
//   GradientTape tape;
//   {
//     auto recording = tape.record();
//     loss = reduce_mean(square(matmul(x, w) - y));
//   }
//   Tensor dw = tape.gradient(loss, w);
//
// Behaviour is TensorFlow 2's (GradientTape); names too. The set of active tapes is per thread: a tape sees
// only ops run on the thread that entered it. gradient() may be called from any thread.
#pragma once
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/public.h"
#include "engine/explain/explain.h"
#include "engine/tape/nest.h"
#include "engine/tape/variable.h"

namespace tapescope TAPESCOPE_PUBLIC {

struct TapeOptions {
  bool persistent = false;               // gradient() may be called more than once
  bool watch_accessed_variables = true;  // trainable variables are watched when read
  std::string name{};                    // "tape:12" after its line when empty
};

enum class Unconnected : std::uint8_t { none, zero };

// Notified, in the middle of a backward pass, of the sources whose gradients are complete.
class GradientListener {
 public:
  virtual ~GradientListener() = default;
  // `source` counts the sources of the call; `gradient` is what the call returns for it. Not called for a
  // source whose gradient is known at the end alone: None, and a target that is a source itself.
  virtual void complete(std::size_t source, const Tensor& gradient) = 0;
};

struct GradientOptions {
  // One a target, of its shape and dtype; empty means ones. A shorter list is filled up with ones.
  std::vector<Tensor> output_gradients{};
  Unconnected unconnected = Unconnected::none;
  // Walk only what lies between targets and sources. Off by default, as in TensorFlow.
  bool prune = false;
  // On the thread of the call, between two steps of the backward pass; null for none. It must not use the
  // tape.
  GradientListener* listener = nullptr;
};

struct JacobianOptions {
  // All rows of a chunk in one backward pass; off, each row takes its own pass (TensorFlow's
  // experimental_use_pfor).
  bool vectorized = true;
  // Rows in one pass, at least 2; 0 chooses as many as a bound on memory allows.
  std::int64_t chunk = 0;
  Unconnected unconnected = Unconnected::none;
};

class TapeStorage;

class GradientTape {
 public:
  explicit GradientTape(TapeOptions options = {}, Location location = Location::current());
  ~GradientTape();
  GradientTape(GradientTape&&) noexcept;
  GradientTape& operator=(GradientTape&&) noexcept;
  GradientTape(const GradientTape&) = delete;
  GradientTape& operator=(const GradientTape&) = delete;

  // The `with` block. Entering a tape again resumes the same recording; entering a used-up one starts a new
  // one. Throws ValueError when it is recording already.
  class Recording;
  [[nodiscard]] Recording record(Location location = Location::current());
  void enter(Location location = Location::current());
  void exit(Location location = Location::current());

  // Suspends this tape alone for a block. RuntimeError before the first enter or on a used-up tape,
  // ValueError when it is not recording.
  class Pause;
  [[nodiscard]] Pause stop_recording(Location location = Location::current());
  // Throws the recording away and starts an empty one; ValueError when it is not recording.
  void reset(Location location = Location::current());

  // Follows a tensor or variable from here on. Integers are refused with a warning.
  // AttributeError before the first enter or on a used-up tape.
  void watch(const Traced& what, Location location = Location::current());
  void watch(std::initializer_list<Traced> what, Location location = Location::current());
  // Each tensor and variable of a vector, map, pair or tuple.
  template <tapescope_inside::Structure T>
  void watch(const T& what, Location location = Location::current()) {
    std::vector<Traced> leaves;
    tapescope_inside::Nest<T>::flatten(what, leaves);
    for (const Traced& leaf : leaves) watch(leaf, location);
  }
  // In creation order.
  std::vector<Variable> watched_variables() const;

  // Gradients of the sum of all elements of the targets. An absent tensor is None; explain() says why.
  // RuntimeError when a non-persistent tape is asked twice or was never entered.
  Tensor gradient(const Traced& target, const Traced& source, const GradientOptions& options = {},
                  Location location = Location::current());
  std::vector<Tensor> gradient(const Traced& target, std::span<const Traced> sources,
                               const GradientOptions& options = {}, Location location = Location::current());
  std::vector<Tensor> gradient(const Traced& target, std::initializer_list<Traced> sources,
                               const GradientOptions& options = {}, Location location = Location::current());
  std::vector<Tensor> gradient(std::span<const Traced> targets, std::span<const Traced> sources,
                               const GradientOptions& options = {}, Location location = Location::current());

  std::vector<Tensor> gradient(std::initializer_list<Traced> targets, std::initializer_list<Traced> sources,
                               const GradientOptions& options = {}, Location location = Location::current()) {
    return gradient(std::span(targets.begin(), targets.size()), std::span(sources.begin(), sources.size()),
                    options, location);
  }
  // By name: tape.gradient(loss, {{"w", w}, {"b", b}})["w"].
  std::map<std::string, Tensor> gradient(const Traced& target, const std::map<std::string, Traced>& sources,
                                         const GradientOptions& options = {},
                                         Location location = Location::current()) {
    return gradient<Traced, std::map<std::string, Traced>>(target, sources, options, location);
  }
  // Of vectors, maps, pairs and tuples, one inside of another: the answer has the structure of the sources
  // (TensorFlow's nests; a map goes by its keys in order). options.output_gradients has one for each target.
  template <tapescope_inside::StructureOrTraced Targets, tapescope_inside::StructureOrTraced Sources>
  requires(tapescope_inside::Structure<Targets> || tapescope_inside::Structure<Sources>)
      typename tapescope_inside::Nest<Sources>::Gradients
      gradient(const Targets& targets, const Sources& sources, const GradientOptions& options = {},
               Location location = Location::current()) {
    std::vector<Traced> flat_targets, flat_sources;
    tapescope_inside::Nest<Targets>::flatten(targets, flat_targets);
    tapescope_inside::Nest<Sources>::flatten(sources, flat_sources);
    std::vector<Tensor> gradients = gradient(std::span<const Traced>(flat_targets),
                                             std::span<const Traced>(flat_sources), options, location);
    auto next = gradients.begin();
    return tapescope_inside::Nest<Sources>::pack(sources, next);
  }

  // J[i.., j..] = d target[i..] / d source[j..], of the shape target.shape + source.shape; None where nothing
  // connects them. Counts as the tape's one gradient call. Throws what gradient() does, RuntimeError for a
  // loop and ValueError for a given chunk on a tape that is not persistent, ValueError for a chunk of 1 and
  // for more than 8 dimensions.
  Tensor jacobian(const Traced& target, const Traced& source, const JacobianOptions& options = {},
                  Location location = Location::current());
  std::vector<Tensor> jacobian(const Traced& target, std::span<const Traced> sources,
                               const JacobianOptions& options = {}, Location location = Location::current());
  std::vector<Tensor> jacobian(const Traced& target, std::initializer_list<Traced> sources,
                               const JacobianOptions& options = {}, Location location = Location::current());
  // For each row b of both, d target[b, i..] / d source[b, j..], of the shape [b, i.., j..]; zeros where
  // nothing connects them, whatever the option. Rows are taken to be independent, unchecked: where they are
  // not, it is the sum over the rows of the target. ValueError for fewer than two dimensions and for
  // different numbers of rows.
  Tensor batch_jacobian(const Traced& target, const Traced& source, const JacobianOptions& options = {},
                        Location location = Location::current());

  // Why the gradient of `target` with respect to `source` is None, worked out from the records alone.
  // Works after gradient() too. The reason is `none` when there is a gradient.
  Explanation explain(const Traced& target, const Traced& source) const;

  bool persistent() const;
  TapeId id() const;
  struct Counts {
    std::uint64_t recorded = 0;        // nodes
    std::uint64_t saved_bytes = 0;     // of distinct buffers held for the backward pass
    std::uint64_t backward_nodes = 0;  // walked by the last gradient()
  };
  Counts counts() const;

  TapeStorage& storage() const { return *storage_; }

 private:
  std::unique_ptr<TapeStorage, void (*)(TapeStorage*)> storage_;
};

// A block may be moved, into a std::optional for example, and ends with the last object that it was moved to.
class GradientTape::Recording {
 public:
  explicit Recording(TapeStorage* storage) : storage_(storage) {}
  Recording(Recording&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
  Recording& operator=(Recording&& other) noexcept {
    if (storage_ && this != &other) end();
    storage_ = std::exchange(other.storage_, nullptr);
    return *this;
  }
  ~Recording() {
    if (storage_) end();
  }

 private:
  void end();
  TapeStorage* storage_;
};

class GradientTape::Pause {
 public:
  explicit Pause(TapeStorage* storage) : storage_(storage) {}
  Pause(Pause&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
  Pause& operator=(Pause&& other) noexcept {
    if (storage_ && this != &other) end();
    storage_ = std::exchange(other.storage_, nullptr);
    return *this;
  }
  ~Pause() {
    if (storage_) end();
  }

 private:
  void end();
  TapeStorage* storage_;
};

// The values for the host; leaves a record, since what is made of them no tape can follow.
std::vector<double> host_values(const Tensor& x, Location location = Location::current());
double item(const Tensor& x, Location location = Location::current());

}  // namespace tapescope
