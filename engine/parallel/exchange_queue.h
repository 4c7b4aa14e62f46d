// The exchanges of a process, one after the other in the order in which the program asks for them: those that
// it waits for at once, and those that run while it computes.
#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "engine/parallel/transport.h"

namespace tapescope::parallel {

// What the exchanging thread does for a program that computes meanwhile.
class ExchangeWork {
 public:
  virtual ~ExchangeWork() = default;
  // On the exchanging thread.
  virtual void exchange() = 0;

 private:
  friend class ExchangeQueue;
  bool done_ = false;
  std::exception_ptr failure_;
};

class ExchangeQueue {
 public:
  explicit ExchangeQueue(std::unique_ptr<Transport> transport);
  ~ExchangeQueue();
  ExchangeQueue(const ExchangeQueue&) = delete;
  ExchangeQueue& operator=(const ExchangeQueue&) = delete;

  const Transport& transport() const { return *transport_; }
  // Exchanges on the calling thread, after what was begun before.
  void run(const Exchange& exchange);
  // Exchanges on the queue's thread, after what was begun before. `work` lives until it was waited for.
  void begin(ExchangeWork& work);
  // Throws what the work threw.
  void wait(ExchangeWork& work);

 private:
  void work_off();

  static thread_local const ExchangeQueue* g_working_;  // the queue whose work this thread does
  std::unique_ptr<Transport> transport_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<ExchangeWork*> waiting_;  // the one that is done stays in front meanwhile
  bool busy_ = false;
  bool ends_ = false;
  std::atomic<bool> hurry_{true};  // a thread waits
  std::thread thread_;
};

// That of the process, or of the calling thread alone. Throws what process_rank() does.
ExchangeQueue& group();

// Makes a queue that of the calling thread for a block: tests run several ranks as threads.
class GroupOfThread {
 public:
  explicit GroupOfThread(ExchangeQueue& queue);
  ~GroupOfThread();
  GroupOfThread(const GroupOfThread&) = delete;
  GroupOfThread& operator=(const GroupOfThread&) = delete;

 private:
  ExchangeQueue* outer_;
};

}  // namespace tapescope::parallel
