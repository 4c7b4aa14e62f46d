// Ranks of a group as threads of one process: exchanges without MPI.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/parallel/transport.h"

namespace tapescope::test {

// Where the ranks of a group meet: an exchange is over as the last of them has started it.
class ThreadWorld {
 public:
  explicit ThreadWorld(int size) : size_(size), started_(static_cast<std::size_t>(size), 0) {}
  int size() const { return size_; }
  // How many exchanges came to their end. Any thread.
  int count() const { return count_; }

  // The number of the exchange among those of the rank.
  std::size_t start(int rank, const parallel::Exchange& exchange) {
    const std::lock_guard lock(mutex_);
    const std::size_t number = started_[static_cast<std::size_t>(rank)]++;
    if (number == rounds_.size()) rounds_.push_back({std::vector<parallel::Exchange>(started_.size()), 0});
    Round& round = rounds_[number];
    round.exchanges[static_cast<std::size_t>(rank)] = exchange;
    if (++round.arrived == size_) {
      carry(round.exchanges);
      ++count_;
      met_.notify_all();
    }
    return number;
  }
  bool done(std::size_t number) {
    const std::lock_guard lock(mutex_);
    return rounds_[number].arrived == size_;
  }
  void wait(std::size_t number) {
    std::unique_lock lock(mutex_);
    met_.wait(lock, [&] { return rounds_[number].arrived == size_; });
  }

 private:
  using Kind = parallel::Exchange::Kind;
  using Exchanges = std::vector<parallel::Exchange>;
  struct Round {
    Exchanges exchanges;
    int arrived = 0;
  };

  // Element i of the sum of all inputs.
  template <class T>
  static T sum(const Exchanges& all, std::int64_t i) {
    T total = 0;
    for (const parallel::Exchange& one : all) total += static_cast<const T*>(one.in)[i];
    return total;
  }
  template <class T>
  static void reduce(const Exchanges& all, bool scattered) {
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      const parallel::Exchange& one = all[rank];
      const std::int64_t first = scattered ? static_cast<std::int64_t>(rank) * one.count : 0;
      for (std::int64_t i = 0; i < one.count; ++i) static_cast<T*>(one.out)[i] = sum<T>(all, first + i);
    }
  }
  static void carry(const Exchanges& all) {
    const parallel::Exchange& first = all[0];
    const std::size_t bytes = static_cast<std::size_t>(first.count) * size_of(first.dtype);
    if (first.kind == Kind::all_reduce || first.kind == Kind::reduce_scatter) {
      const bool scattered = first.kind == Kind::reduce_scatter;
      if (first.dtype == DType::f32) return reduce<float>(all, scattered);
      if (first.dtype == DType::f64) return reduce<double>(all, scattered);
      if (first.dtype == DType::i32) return reduce<std::int32_t>(all, scattered);
      return reduce<std::int64_t>(all, scattered);
    }
    for (const parallel::Exchange& to : all) {
      for (std::size_t from = 0; from < all.size(); ++from) {
        if (first.kind == Kind::all_gather)
          std::memcpy(static_cast<char*>(to.out) + from * bytes, all[from].in, bytes);
        else if (from == static_cast<std::size_t>(to.root)) std::memcpy(to.out, all[from].in, bytes);
      }
    }
  }

  int size_;
  std::atomic<int> count_{0};
  std::vector<std::size_t> started_;  // by each rank
  std::deque<Round> rounds_;
  std::mutex mutex_;
  std::condition_variable met_;
};

class ThreadTransport final : public parallel::Transport {
 public:
  ThreadTransport(ThreadWorld& world, int rank) : world_(world), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return world_.size(); }
  std::unique_ptr<parallel::StartedExchange> start(const parallel::Exchange& exchange) override {
    return std::make_unique<Started>(world_, world_.start(rank_, exchange));
  }

 private:
  class Started final : public parallel::StartedExchange {
   public:
    Started(ThreadWorld& world, std::size_t number) : world_(world), number_(number) {}
    ~Started() override { wait(); }
    bool done() override { return world_.done(number_); }
    void wait() override { world_.wait(number_); }

   private:
    ThreadWorld& world_;
    std::size_t number_;
  };

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
      ThreadTransport own(world, rank);
      const parallel::TransportOfThread group(own);
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
