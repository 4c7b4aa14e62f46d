// The debugger's gate as hooks meet it. Functions that return false leave an exception set: a signal handler
// raised it while the thread waited, and the program gets it.
#pragma once
#include <cstdint>

#include "bridges/native/tapescope_c.h"
#include "bridges/python/module/python.h"
#include "bridges/python/module/thread.h"

namespace tapescope::bridge {

// What an eager op left, in the thread's Call.
struct OpArrival {
  bool there = false;
  std::uint16_t op = 0;
  tapescope_tensor output = 0;
  std::uint32_t site = 0;
};
bool stop_after_op(const OpArrival& op, PyObject* inputs, PyObject* outputs);
// After a backward step. `inputs`: the forward op's, or null.
bool stop_after_step(const Forward& forward, PyObject* cotangents, PyObject* results, PyObject* inputs);

// gradient() is about to return its answers, a list of (source id, name, gradient or None).
bool stop_at_answers(PyObject* answers);
bool stop_before_backward();

// Objects -> what the program calls them, a list of texts.
void set_names_of(PyObject* callable);
// What a tensor or handle is called, by its id.
void remember_name(tapescope_tensor id, std::uint32_t name);
// Lets other threads run and signals be handled while this one waits.
void set_waiter();

// Functions of the module: stops between nodes.
PyMethodDef* gate_methods();

}  // namespace tapescope::bridge
