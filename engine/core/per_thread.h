// One object for each thread, behind one pointer of thread-local storage: a shared object that is loaded at
// run time gets little of that storage, or none.
#pragma once
#include <memory>

namespace tapescope {

// T is made at the thread's first call of get() and destroyed when the thread ends.
template <class T>
class PerThread {
 public:
  // The calling thread's; null once it was destroyed, as other objects of an ending thread may see.
  static T* get() {
    T* known = object_;
    return known ? known : make();
  }
  // Null as well where the thread has not made it.
  static T* known() { return object_; }

 private:
  struct Owner {
    std::unique_ptr<T> object = std::make_unique<T>();
    ~Owner() {
      object_ = nullptr;
      ended_ = true;
    }
  };

  [[gnu::noinline]] static T* make() {
    if (ended_) return nullptr;
    thread_local const Owner owner;
    return object_ = owner.object.get();
  }

  // Beside the owner, as it spares its guard at every access.
  static inline constinit thread_local T* object_ = nullptr;
  static inline constinit thread_local bool ended_ = false;
};

}  // namespace tapescope
