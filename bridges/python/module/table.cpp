// The C interface as a capsule, for what is built against an installed framework.
#include "bridges/native/tapescope_table.h"

#include "bridges/python/module/functions.h"
#include "bridges/python/module/python.h"
#include "bridges/python/module/thread.h"

namespace tapescope::bridge {

namespace {

// Where the program pauses the recording, nothing is to be seen either.
int is_muted() { return hook_thread().muted; }
int is_heard() { return tapescope_listening() && !is_muted(); }

tapescope_attention attention() { return {tapescope_listen_word(), &hook_thread().muted}; }

const tapescope_table g_table = {.size = sizeof(tapescope_table),
                                 .listening = is_heard,
                                 .ticks = tapescope_ticks,
                                 .name = tapescope_name,
                                 .op_name = tapescope_op_name,
                                 .scope = tapescope_scope,
                                 .site = tapescope_site,
                                 .type = tapescope_type,
                                 .tensor_met = tapescope_tensor_met,
                                 .handle_made = tapescope_handle_made,
                                 .op = tapescope_op,
                                 .tape_pause = tapescope_tape_pause,
                                 .tape_resume = tapescope_tape_resume,
                                 .watch = tapescope_watch,
                                 .backward_step = tapescope_backward_step,
                                 .at_gate = tapescope_at_gate,
                                 .recorded = tapescope_recorded,
                                 .show = tapescope_show,
                                 .arrive = tapescope_arrive,
                                 .arrive_between = tapescope_arrive_between,
                                 .look = tapescope_look,
                                 .step_result = tapescope_step_result,
                                 .muted = is_muted,
                                 .tape_made = tapescope_tape_made,
                                 .tape_enter = tapescope_tape_enter,
                                 .tape_destroyed = tapescope_tape_destroyed,
                                 .ask = tapescope_ask,
                                 .target = tapescope_target,
                                 .source = tapescope_source,
                                 .backward_begin = tapescope_backward_begin,
                                 .backward_end = tapescope_backward_end,
                                 .result = tapescope_result,
                                 .single = tapescope_single,
                                 .scalar = tapescope_scalar,
                                 .attention = attention};

PyObject* table(PyObject*, PyObject*) {
  return PyCapsule_New(const_cast<tapescope_table*>(&g_table), TAPESCOPE_TABLE_NAME, nullptr);
}

PyMethodDef g_table_methods[] = {{"table", table, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyMethodDef* table_methods() { return g_table_methods; }

}  // namespace tapescope::bridge
