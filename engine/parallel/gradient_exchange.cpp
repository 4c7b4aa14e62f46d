// Buckets are made of the sources alone, from the last to the first, as backward passes reach them: so they
// are the same in every process, and are exchanged in their order whatever a process computes.
#include "engine/parallel/gradient_exchange.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "engine/gate/apply.h"
#include "engine/gate/op_record.h"
#include "engine/gate/state.h"
#include "engine/gate/symbol.h"
#include "engine/ops/creation.h"
#include "engine/ops/slices.h"
#include "engine/parallel/collectives.h"
#include "engine/parallel/group.h"
#include "engine/parallel/packing.h"
#include "engine/parallel/replicas.h"
#include "engine/parallel/transport.h"
#include "engine/parallel/waiting.h"

namespace tapescope {
namespace parallel {

// Gradients that are exchanged together.
struct Bucket {
  std::vector<std::size_t> sources;
  std::vector<Tensor> given;  // one a source, then which of them this process has: 1 or 0
  std::vector<Tensor> averages;
  std::size_t missing = 0;  // sources whose gradient is not known yet
  std::int64_t bytes = 0;
  Tensor in, out;                            // packed
  std::unique_ptr<StartedExchange> started;  // last: ends before what it reads and writes
  Ticks begin = 0, end = 0;
  SiteId site = 0;  // of the gradient call

  void start() {
    std::vector<TensorImpl*> tensors;
    for (const Tensor& tensor : given) tensors.push_back(tensor.impl());
    in = packed(tensors);
    out = Tensor(new_tensor(&in.type()));
    begin = ticks();
    end = 0;
    started = transport().start({.kind = Exchange::Kind::all_reduce,
                                 .in = in.raw(),
                                 .out = out.impl()->data,
                                 .count = in.numel(),
                                 .dtype = in.dtype()});
  }
  // Lets it go on; notes when it was seen to be over.
  void look() {
    if (started && end == 0 && started->done()) end = ticks();
  }
};

// What runs beside the program's own ops has a separate row: they are written as by another thread.
class Lane {
 public:
  void write(const Bucket& bucket, const Location& location) {
    if (!(state().listen.load(std::memory_order_relaxed) & kListenEvents)) return;
    // A number of a thread is taken by the thread itself.
    if (!lane_) std::thread([this] { lane_ = std::make_unique<ThreadState>(); }).join();
    if (!(lane_->listen.load(std::memory_order_relaxed) & kListenEvents)) return;
    std::vector<TensorImpl*> inputs;
    for (const Tensor& given : bucket.given) inputs.push_back(given.impl());
    static const OpDef& reduce = *find_op("CollectiveReduceV2");
    write_op_record(*lane_, reduce, inputs, {&bucket.out, 1},
                    {intern_site(location, state().scope), 0, 0, bucket.begin, bucket.end});
  }

 private:
  std::unique_ptr<ThreadState> lane_;
};

}  // namespace parallel

namespace {

using parallel::Bucket;

// The bucket lives as long as the op that is given it.
Bucket& bucket_of(const Attrs& attrs) {
  return *reinterpret_cast<Bucket*>(static_cast<std::uintptr_t>(attrs.object));
}

void infer_wait(InferContext& c) {
  const std::vector<Tensor>& given = bucket_of(c.attrs).given;
  c.set_outputs(static_cast<int>(given.size()));
  for (std::size_t i = 0; i < given.size(); ++i) c.out(static_cast<int>(i), &given[i].type());
}

extern constinit const OpDef kWait;

// The averages are parts of what came, but for half types, which are summed in float32.
void wait_kernel(KernelContext& c) {
  Bucket& bucket = bucket_of(c.attrs);
  parallel::wait_at_gate(*bucket.started, kWait.id, bucket.site);
  bucket.look();
  parallel::divide(bucket.out, process_count());
  const bool half = is_half(bucket.given[0].dtype());
  const TensorId first = next_tensor_ids(static_cast<int>(c.outputs.size()));
  auto* part = static_cast<char*>(bucket.out.impl()->data);
  for (std::size_t i = 0; i < c.outputs.size(); ++i) {
    const Type& type = bucket.given[i].type();
    c.outputs[i] = Tensor(half ? new_tensor(&type) : new_view(bucket.out.impl(), &type, part));
    c.outputs[i].impl()->id = first + i;
    part += type.bytes;
  }
  if (half) parallel::unpack(bucket.out, c.outputs);
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
                            .doc = "waits for an exchange of gradients that was begun; gives their averages"};
[[maybe_unused]] const bool g_wait_named = (kWait.id = intern_op_name(kWait.name), true);

}  // namespace

// The buckets of one call; kept for their memory.
class GradientExchange::Plan final : public GradientListener {
 public:
  explicit Plan(const ExchangeOptions& options) : options_(options) {}

  void begin(std::span<const Traced> sources, const Location& location) {
    location_ = location;
    account = {};
    sources_ = sources;
    gradients.assign(sources.size(), Tensor());
    known_.assign(sources.size(), false);
    bucket_of_.assign(sources.size(), kNoBucket);
    overlap_ = options_.overlap && !current_trace();
    count_ = next_ = 0;
    for (std::size_t s = sources.size(); s-- > 0;) {
      const Type& type = sources[s].type();
      if (!is_floating(type.dtype)) continue;  // its gradient is None everywhere
      if (count_ == 0 || buckets_[count_ - 1]->bytes + type.bytes > options_.bucket_bytes ||
          type.dtype != sources[buckets_[count_ - 1]->sources.front()].type().dtype)
        add_bucket();
      Bucket& bucket = *buckets_[count_ - 1];
      bucket.sources.push_back(s);
      bucket.bytes += type.bytes;
      ++bucket.missing;
      bucket_of_[s] = count_ - 1;
    }
  }

  void complete(std::size_t source, const Tensor& gradient) override {
    if (!overlap_) return;
    for (std::size_t b = 0; b < next_; ++b) buckets_[b]->look();
    set(source, gradient);
    while (next_ < count_ && buckets_[next_]->missing == 0) begin_next();
    // Packing is no op of the program: the next one begins now.
    state().mark_time();
  }

  // The backward pass is over: what is left.
  void finish(const std::vector<Tensor>& own) {
    for (std::size_t s = 0; s < own.size(); ++s) {
      if (!known_[s]) set(s, own[s]);
    }
    while (overlap_ && next_ < count_) begin_next();
    for (std::size_t b = 0; b < count_; ++b) take(*buckets_[b]);
  }

  // What is under way ends before its tensors are gone.
  void abandon() noexcept {
    for (std::size_t b = 0; b < count_; ++b) {
      buckets_[b]->started.reset();
      *buckets_[b] = Bucket();
    }
    count_ = 0;
  }

  std::vector<Tensor> gradients;
  ExchangeAccount account;

 private:
  static constexpr std::size_t kNoBucket = ~std::size_t{0};

  void add_bucket() {
    if (count_ == buckets_.size()) buckets_.push_back(std::make_unique<Bucket>());
    ++count_;
  }

  void set(std::size_t source, const Tensor& gradient) {
    gradients[source] = gradient;
    known_[source] = true;
    if (bucket_of_[source] != kNoBucket) --buckets_[bucket_of_[source]]->missing;
  }

  void pack(Bucket& bucket) {
    std::vector<double> present;
    DType dtype = DType::f32;
    for (const std::size_t s : bucket.sources) {
      present.push_back(gradients[s] ? 1 : 0);
      const Type& type = gradients[s] ? gradients[s].type() : sources_[s].type();
      dtype = sources_[s].type().dtype;
      if (type.dtype != dtype) {
        fail(ErrorKind::invalid_argument, "GradientExchange",
             fmt::format("the gradient of '{}' is {}, expected the source's {}", sources_[s].name(),
                         type.text(), name_of(dtype)),
             &location_);
      }
      bucket.given.push_back(gradients[s] ? to_dense(gradients[s], location_) : zeros(type.shape, dtype));
    }
    bucket.given.push_back(make_tensor(present, Shape{static_cast<std::int64_t>(present.size())}, dtype));
    ++account.exchanges;
    for (const Tensor& given : bucket.given) account.bytes += static_cast<std::uint64_t>(given.bytes());
  }

  void begin_next() {
    Bucket& bucket = *buckets_[next_++];
    pack(bucket);
    bucket.start();
  }

  void take(Bucket& bucket) {
    if (!bucket.started) {
      pack(bucket);
      bucket.averages = all_reduce(bucket.given, ReduceOp::mean, location_);
    } else {
      TensorImpl* inputs[] = {bucket.out.impl()};
      bucket.site = intern_site(location_, state().scope);
      TensorList averages;
      apply(kWait, inputs, attrs_of(bucket), location_, averages);
      bucket.averages.assign(averages.span().begin(), averages.span().end());
      lane_.write(bucket, location_);
    }
    const Tensor& had = bucket.averages.back();
    for (std::size_t i = 0; i < bucket.sources.size(); ++i) {
      const bool exists = is_symbol(had) || element_value(had, static_cast<std::int64_t>(i)) != 0;
      gradients[bucket.sources[i]] = exists ? std::move(bucket.averages[i]) : Tensor();
    }
  }

  ExchangeOptions options_;
  Location location_;
  parallel::Lane lane_;
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
