/* The part of the C interface that a library gets which is built later, on the user's machine, and is loaded
 * beside the Python module: addresses of its functions, in the capsule `_tapescope.table()`. Fields are only
 * added, at the end; `size` says which of them there are. */
#ifndef TAPESCOPE_TABLE_H
#define TAPESCOPE_TABLE_H
#include "bridges/native/tapescope_c.h"

#define TAPESCOPE_TABLE_NAME "tapescope.table"

/* What the calling thread looks at before anything else, without a call. Lasts as long as the thread. */
typedef struct tapescope_attention {
  const uint32_t* listen; /* of tapescope_listen_word() */
  const int* muted;       /* not 0: the program pauses the recording, or what runs is the bridge's own */
} tapescope_attention;

typedef struct tapescope_table {
  size_t size;
  int (*listening)(void);
  uint64_t (*ticks)(void);
  uint32_t (*name)(const char*, size_t);
  uint16_t (*op_name)(const char*, size_t);
  uint32_t (*scope)(uint32_t, uint32_t);
  uint32_t (*site)(const char*, const char*, uint32_t, uint32_t, uint32_t);
  uint32_t (*type)(const char*, int, const int64_t*);
  tapescope_tensor (*tensor_met)(int64_t, uint32_t);
  tapescope_tensor (*handle_made)(int64_t, uint32_t, uint32_t);
  tapescope_tensor (*op)(const tapescope_op_call*);
  void (*tape_pause)(uint32_t, uint32_t);
  void (*tape_resume)(uint32_t, uint32_t);
  void (*watch)(uint32_t, tapescope_tensor, uint32_t, uint32_t);
  void (*backward_step)(uint32_t, tapescope_tensor, uint32_t);
  int (*at_gate)(void);
  int (*recorded)(void);
  void (*show)(tapescope_frame*, const tapescope_shown*);
  void (*arrive)(const tapescope_place*);
  void (*arrive_between)(int, const tapescope_place*, const char*, tapescope_tensor);
  int (*look)(const tapescope_values*);
  void (*step_result)(const tapescope_seen*);
  int (*muted)(void);
  uint32_t (*tape_made)(int, int);
  void (*tape_enter)(uint32_t, int, int, uint32_t);
  void (*tape_destroyed)(uint32_t);
  uint64_t (*ask)(uint32_t, int, uint32_t, uint32_t, uint32_t, uint32_t);
  void (*target)(tapescope_tensor, uint32_t);
  void (*source)(uint32_t, tapescope_tensor, uint32_t);
  void (*backward_begin)(uint32_t, uint64_t);
  void (*backward_end)(uint32_t, uint64_t, int);
  void (*result)(uint32_t, tapescope_tensor, uint32_t, int, tapescope_tensor);
  int (*single)(const tapescope_values*, double*);
  void (*scalar)(uint32_t, double, uint64_t);
  tapescope_attention (*attention)(void);
} tapescope_table;

#endif
