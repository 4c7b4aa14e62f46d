// Which group this process is of, and the thread that exchanges while others compute.
#include "engine/parallel/exchange_queue.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/parallel/group.h"

namespace tapescope {
namespace parallel {
namespace {

class Alone final : public Transport {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void run(const Exchange& exchange, const std::atomic<bool>&) override {
    std::memcpy(exchange.out, exchange.in,
                static_cast<std::size_t>(exchange.count) * size_of(exchange.dtype));
  }
};

// Open MPI's mpirun gives the size of the world, other launchers that speak PMIx (srun --mpi=pmix) the rank.
bool launched() {
  if (const char* size = std::getenv("OMPI_COMM_WORLD_SIZE")) return std::strcmp(size, "1") != 0;
  return std::getenv("PMIX_RANK") != nullptr;
}

thread_local ExchangeQueue* g_of_thread = nullptr;

}  // namespace

ExchangeQueue& group() {
  if (g_of_thread != nullptr) return *g_of_thread;
  // Never destroyed: a thread may exchange while the process ends.
  static ExchangeQueue& world =
      *new ExchangeQueue(launched() ? connect_mpi() : std::unique_ptr<Transport>(new Alone));
  return world;
}

GroupOfThread::GroupOfThread(ExchangeQueue& queue) : outer_(g_of_thread) { g_of_thread = &queue; }
GroupOfThread::~GroupOfThread() { g_of_thread = outer_; }

ExchangeQueue::ExchangeQueue(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {}

ExchangeQueue::~ExchangeQueue() {
  {
    std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ExchangeQueue::run(const Exchange& exchange) {
  if (g_working_ == this) return transport_->run(exchange, hurry_);
  std::unique_lock lock(mutex_);
  hurry_ = true;
  changed_.wait(lock, [&] { return waiting_.empty() && !busy_; });
  busy_ = true;
  lock.unlock();
  struct Release {
    ExchangeQueue& queue;
    ~Release() {
      {
        std::lock_guard again(queue.mutex_);
        queue.busy_ = false;
      }
      queue.changed_.notify_all();
    }
  } release{*this};
  transport_->run(exchange, hurry_);
}

void ExchangeQueue::begin(ExchangeWork& work) {
  {
    std::lock_guard lock(mutex_);
    work.done_ = false;
    waiting_.push_back(&work);
    hurry_ = false;
    if (!thread_.joinable()) thread_ = std::thread([this] { work_off(); });
  }
  changed_.notify_all();
}

void ExchangeQueue::wait(ExchangeWork& work) {
  std::unique_lock lock(mutex_);
  hurry_ = true;
  changed_.wait(lock, [&] { return work.done_; });
  if (work.failure_) std::rethrow_exception(std::exchange(work.failure_, nullptr));
}

void ExchangeQueue::work_off() {
  g_working_ = this;
  const GroupOfThread group(*this);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || (!waiting_.empty() && !busy_); });
    if (waiting_.empty()) return;
    ExchangeWork& work = *waiting_.front();
    busy_ = true;
    lock.unlock();
    std::exception_ptr failure;
    try {
      work.exchange();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    waiting_.pop_front();
    busy_ = false;
    work.failure_ = failure;
    work.done_ = true;
    changed_.notify_all();
  }
}

thread_local const ExchangeQueue* ExchangeQueue::g_working_ = nullptr;

#ifndef TAPESCOPE_MPI
std::unique_ptr<Transport> connect_mpi() {
  throw Error(ErrorKind::surroundings,
              "a launcher started several processes, and this build of Tapescope has no MPI to let them "
              "exchange gradients; install libopenmpi-dev and build it again");
}
#endif

}  // namespace parallel

int process_rank() { return parallel::group().transport().rank(); }
int process_count() { return parallel::group().transport().size(); }

}  // namespace tapescope
