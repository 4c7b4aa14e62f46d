// Buckets are made of the sources alone, from the last to the first, as backward passes reach them: so they
// are the same in every process, and are exchanged in their order whatever a process computes.
#include "engine/parallel/gradient_exchange.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/gate/apply.h"
#include "engine/gate/symbol.h"
#include "engine/ops/creation.h"
#include "engine/parallel/collectives.h"
#include "engine/parallel/exchange_queue.h"
#include "engine/parallel/replicas.h"

namespace tapescope {
namespace {

// Gradients that are exchanged together.
class Bucket final : public parallel::ExchangeWork {
 public:
  std::vector<std::size_t> sources;
  std::vector<Tensor> given;  // one a source, then which of them this process has: 1 or 0
  std::vector<Tensor> averages;
  std::size_t missing = 0;  // sources whose gradient is not known yet
  std::int64_t bytes = 0;
  bool begun = false, waited = false;
  Location location;

  void exchange() override { averages = all_reduce(given, ReduceOp::mean, location); }
};

// The call lives as long as the op that is given it.
Bucket& bucket_of(const Attrs& attrs) {
  return *reinterpret_cast<Bucket*>(static_cast<std::uintptr_t>(attrs.object));
}

void infer_wait(InferContext& c) {
  c.set_outputs(c.input_count());
  for (int i = 0; i < c.input_count(); ++i) c.out(i, &c.in(i));
}

void wait_kernel(KernelContext& c) {
  Bucket& bucket = bucket_of(c.attrs);
  bucket.waited = true;
  parallel::group().wait(bucket);
  const TensorId first = next_tensor_ids(static_cast<int>(c.outputs.size()));
  for (std::size_t i = 0; i < c.outputs.size(); ++i) {
    TensorImpl* average = bucket.averages[i].impl();
    c.outputs[i] = Tensor(new_view(average, average->type, average->data));
    c.outputs[i].impl()->id = first + i;
  }
}

Attrs attrs_of(Bucket& bucket) {
  Attrs attrs;
  attrs.object = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&bucket));
  return attrs;
}

// Programs do not call it, so it is no row of the table.
constinit const OpDef kWait{.name = "CollectiveWait",
                            .infer = infer_wait,
                            .kernel = wait_kernel,
                            .flags = OpDef::kMakesOutputs | OpDef::kStateful | OpDef::kWaits,
                            .no_gradient = NoGradient::not_differentiable,
                            .doc = "waits for an exchange that a thread began; gives the averages of x"};
[[maybe_unused]] const bool g_wait_named = (kWait.id = intern_op_name(kWait.name), true);

}  // namespace

// The buckets of one call; kept for their memory.
class GradientExchange::Plan final : public GradientListener {
 public:
  explicit Plan(const ExchangeOptions& options) : options_(options) {}

  void begin(std::span<const Traced> sources, const Location& location) {
    account = {};
    sources_ = sources;
    gradients.assign(sources.size(), Tensor());
    known_.assign(sources.size(), false);
    bucket_of_.assign(sources.size(), 0);
    overlap_ = options_.overlap && !current_trace();
    count_ = next_ = 0;
    for (std::size_t s = sources.size(); s-- > 0;) {
      const Type& type = sources[s].type();
      if (count_ == 0 || buckets_[count_ - 1]->bytes + type.bytes > options_.bucket_bytes ||
          type.dtype != sources[buckets_[count_ - 1]->sources.front()].type().dtype)
        add_bucket(location);
      Bucket& bucket = *buckets_[count_ - 1];
      bucket.sources.push_back(s);
      bucket.bytes += type.bytes;
      ++bucket.missing;
      bucket_of_[s] = count_ - 1;
    }
  }

  void complete(std::size_t source, const Tensor& gradient) override {
    if (!overlap_) return;
    set(source, gradient);
    while (next_ < count_ && buckets_[next_]->missing == 0) exchange(*buckets_[next_++]);
  }

  // The backward pass is over: what is left.
  void finish(const std::vector<Tensor>& own) {
    for (std::size_t s = 0; s < own.size(); ++s) {
      if (!known_[s]) set(s, own[s]);
    }
    while (next_ < count_) exchange(*buckets_[next_++]);
    for (std::size_t b = 0; b < count_; ++b) take(*buckets_[b]);
  }

  // After an error: what the exchanging thread holds must live until it is done.
  void abandon() noexcept {
    for (std::size_t b = 0; b < count_; ++b) {
      Bucket& bucket = *buckets_[b];
      if (!bucket.begun || bucket.waited) continue;
      try {
        parallel::group().wait(bucket);
      } catch (...) {  // the error that is under way is the cause
      }
    }
    count_ = 0;
  }

  std::vector<Tensor> gradients;
  ExchangeAccount account;

 private:
  void add_bucket(const Location& location) {
    if (count_ == buckets_.size()) buckets_.push_back(std::make_unique<Bucket>());
    Bucket& bucket = *buckets_[count_++];
    bucket.sources.clear();
    bucket.given.clear();
    bucket.averages.clear();
    bucket.missing = 0;
    bucket.bytes = 0;
    bucket.begun = bucket.waited = false;
    bucket.location = location;
  }

  void set(std::size_t source, const Tensor& gradient) {
    gradients[source] = gradient;
    known_[source] = true;
    --buckets_[bucket_of_[source]]->missing;
  }

  void exchange(Bucket& bucket) {
    std::vector<double> present;
    DType dtype = DType::f32;
    for (const std::size_t s : bucket.sources) {
      present.push_back(gradients[s] ? 1 : 0);
      const Type& type = gradients[s] ? gradients[s].type() : sources_[s].type();
      dtype = type.dtype;
      bucket.given.push_back(gradients[s] ? gradients[s] : zeros(type.shape, dtype));
    }
    bucket.given.push_back(make_tensor(present, Shape{static_cast<std::int64_t>(present.size())}, dtype));
    ++account.exchanges;
    for (const Tensor& given : bucket.given) account.bytes += static_cast<std::uint64_t>(given.bytes());
    if (!overlap_) return bucket.exchange();
    bucket.begun = true;
    parallel::group().begin(bucket);
  }

  void take(Bucket& bucket) {
    if (bucket.begun) {
      std::vector<TensorImpl*> inputs;
      for (const Tensor& given : bucket.given) inputs.push_back(given.impl());
      TensorList averages;
      apply(kWait, inputs, attrs_of(bucket), bucket.location, averages);
      bucket.averages.assign(averages.span().begin(), averages.span().end());
    }
    const Tensor& had = bucket.averages.back();
    for (std::size_t i = 0; i < bucket.sources.size(); ++i) {
      const bool exists = is_symbol(had) || element(had, static_cast<std::int64_t>(i)) != 0;
      gradients[bucket.sources[i]] = exists ? std::move(bucket.averages[i]) : Tensor();
    }
    bucket.given.clear();
    bucket.averages.clear();
  }

  ExchangeOptions options_;
  bool overlap_ = false;
  std::vector<std::unique_ptr<Bucket>> buckets_;
  std::size_t count_ = 0, next_ = 0;  // in use; to be exchanged next
  std::vector<std::size_t> bucket_of_;
  std::vector<bool> known_;
  std::span<const Traced> sources_;
};

GradientExchange::GradientExchange(ExchangeOptions options) : plan_(std::make_unique<Plan>(options)) {}
GradientExchange::~GradientExchange() = default;

const ExchangeAccount& GradientExchange::account() const { return plan_->account; }

std::vector<Tensor> GradientExchange::gradient(GradientTape& tape, const Traced& target,
                                               std::span<const Traced> sources,
                                               const GradientOptions& options, Location location) {
  // What the tape refuses it refuses before anything is planned.
  if (!std::all_of(sources.begin(), sources.end(), [](const Traced& s) { return bool(s.tensor()); }))
    return tape.gradient(target, sources, options, location);
  Plan& plan = *plan_;
  plan.begin(sources, location);
  struct Abandon {
    Plan& plan;
    ~Abandon() { plan.abandon(); }
  } abandon{plan};
  GradientOptions listened = options;
  listened.listener = &plan;
  const std::vector<Tensor> own = tape.gradient(target, sources, listened, location);
  plan.finish(own);
  note_replicas(sources, plan.gradients);
  return std::move(plan.gradients);
}

void broadcast_values(std::span<const Variable> variables, int root, Location location) {
  for (const Variable& variable : variables)
    variable.assign(broadcast(Arg(variable, location), root), location);
}

}  // namespace tapescope
