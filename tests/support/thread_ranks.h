// Ranks of a group as threads of one process: exchanges without MPI.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/parallel/exchange_queue.h"

namespace tapescope::test {

// Where the ranks of a group meet.
class ThreadWorld {
 public:
  explicit ThreadWorld(int size) : size_(size), exchanges_(static_cast<std::size_t>(size)) {}
  int size() const { return size_; }
  // How many exchanges came to their end. Any thread.
  int count() const { return count_; }

  void run(int rank, const parallel::Exchange& exchange) {
    std::unique_lock lock(mutex_);
    const std::uint64_t round = round_;
    exchanges_[static_cast<std::size_t>(rank)] = &exchange;
    if (++arrived_ < size_) {
      met_.wait(lock, [&] { return round_ != round; });
      return;
    }
    carry();
    ++count_;
    arrived_ = 0;
    ++round_;
    met_.notify_all();
  }

 private:
  using Kind = parallel::Exchange::Kind;

  // Element i of the sum of all inputs.
  template <class T>
  T sum(std::int64_t i) const {
    T total = 0;
    for (const parallel::Exchange* one : exchanges_) total += static_cast<const T*>(one->in)[i];
    return total;
  }
  template <class T>
  void reduce(bool scattered) const {
    for (int rank = 0; rank < size_; ++rank) {
      const parallel::Exchange& one = *exchanges_[static_cast<std::size_t>(rank)];
      const std::int64_t first = scattered ? rank * one.count : 0;
      for (std::int64_t i = 0; i < one.count; ++i) static_cast<T*>(one.out)[i] = sum<T>(first + i);
    }
  }
  void carry() const {
    const parallel::Exchange& first = *exchanges_[0];
    const std::size_t bytes = static_cast<std::size_t>(first.count) * size_of(first.dtype);
    if (first.kind == Kind::all_reduce || first.kind == Kind::reduce_scatter) {
      const bool scattered = first.kind == Kind::reduce_scatter;
      if (first.dtype == DType::f32) return reduce<float>(scattered);
      if (first.dtype == DType::f64) return reduce<double>(scattered);
      if (first.dtype == DType::i32) return reduce<std::int32_t>(scattered);
      return reduce<std::int64_t>(scattered);
    }
    for (const parallel::Exchange* to : exchanges_) {
      for (std::size_t from = 0; from < exchanges_.size(); ++from) {
        if (first.kind == Kind::all_gather)
          std::memcpy(static_cast<char*>(to->out) + from * bytes, exchanges_[from]->in, bytes);
        else if (from == static_cast<std::size_t>(to->root))
          std::memcpy(to->out, exchanges_[from]->in, bytes);
      }
    }
  }

  int size_, arrived_ = 0;
  std::atomic<int> count_{0};
  std::uint64_t round_ = 0;
  std::vector<const parallel::Exchange*> exchanges_;
  std::mutex mutex_;
  std::condition_variable met_;
};

class ThreadTransport final : public parallel::Transport {
 public:
  ThreadTransport(ThreadWorld& world, int rank) : world_(world), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return world_.size(); }
  void run(const parallel::Exchange& exchange, const std::atomic<bool>&) override {
    world_.run(rank_, exchange);
  }

 private:
  ThreadWorld& world_;
  int rank_;
};

// Runs `program(rank)` as each rank of a group; returns how many exchanges there were. Rethrows the error of
// the first rank that had one.
inline int run_ranks(ThreadWorld& world, const std::function<void(int)>& program) {
  const int size = world.size();
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      parallel::ExchangeQueue queue(std::make_unique<ThreadTransport>(world, rank));
      const parallel::GroupOfThread group(queue);
      try {
        program(rank);
      } catch (...) {
        errors[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return world.count();
}
inline int run_ranks(int size, const std::function<void(int)>& program) {
  ThreadWorld world(size);
  return run_ranks(world, program);
}

}  // namespace tapescope::test
