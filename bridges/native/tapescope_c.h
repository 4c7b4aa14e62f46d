/* What the bridge of a framework records through: ids, ops, tapes, questions, functions, steps. Plain C; it
 * knows no Python and no framework.
 *
 * A tensor of the framework has an identity there (a number that is never reused); the interface gives it an
 * id of ours. Every call is for the calling thread, takes effect on that thread's records, and does nothing
 * while no session listens (tapescope_listening). Functions never throw; those that can fail return a
 * sentence, or null. */
#ifndef TAPESCOPE_C_H
#define TAPESCOPE_C_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t tapescope_tensor; /* 0: none */

/* --- the session */

/* A fact about the program (its name, the framework, its version): written with each recording that begins
 * later, and sent to viewers. */
void tapescope_fact(const char* key, const char* value);
/* Begins a recording of the process. The sentence of what went wrong lives until the thread's next call. */
const char* tapescope_record(const char* path);
/* Ends it. `how`: "finished", or how the program ended. */
void tapescope_finish(const char* how);
/* Lets viewers attach. `wait`: returns once one has and lets the program go on, or the waiter was
 * interrupted.
 */
const char* tapescope_listen(int wait);
/* Whether a viewer is attached to this process. */
int tapescope_attached(void);
/* Whether a viewer is attached, which may stop the program. */
int tapescope_attended(void);
/* Whether anybody reads this thread's records. */
int tapescope_listening(void);
/* The calling thread's word of who listens, for as long as the thread lives. Other threads write it: to be
 * read atomically. */
enum { TAPESCOPE_HEARD = 4, TAPESCOPE_MAY_STOP = 8 };
const uint32_t* tapescope_listen_word(void);

/* --- names, places, types: interned, ids are never 0 but for the empty one */

uint32_t tapescope_name(const char* text, size_t size);
uint16_t tapescope_op_name(const char* text, size_t size);
uint32_t tapescope_scope(uint32_t parent, uint32_t name);
uint32_t tapescope_site(const char* file, const char* function, uint32_t line, uint32_t column,
                        uint32_t scope);
/* From now on the thread's ops at `site` run in a function that these lines of the program led to, the
 * innermost first. */
void tapescope_callers(uint32_t site, const uint32_t* caller, size_t callers);
/* `dtype` in TensorFlow's names; a size below 0 is open. */
uint32_t tapescope_type(const char* dtype, int rank, const int64_t* sizes);
/* Whether tapes follow tensors of that type; whether its elements are floating; how many bytes it takes. */
int tapescope_is_trainable(uint32_t type);
int tapescope_is_floating(uint32_t type);
size_t tapescope_bytes(uint32_t type);

/* --- tensors */

/* The id of a tensor of the framework; 0 where it was never seen. */
tapescope_tensor tapescope_known(int64_t identity, uint32_t* type);
/* A new id for it, in place of the one it had. */
tapescope_tensor tapescope_tensor_made(int64_t identity, uint32_t type);
/* The same for a tensor that was not seen being made: readers learn its type. */
tapescope_tensor tapescope_tensor_met(int64_t identity, uint32_t type);
/* Both are one tensor from now on: a placeholder of a graph and what it stands for. */
void tapescope_same_tensor(int64_t identity, tapescope_tensor id, uint32_t type);
/* It came from the host at `site`; `number`: written in an expression. `mark`: of its values, 0 where they
 * are not known. */
tapescope_tensor tapescope_created(int64_t identity, uint32_t type, uint32_t site, uint16_t mark, int number);
/* `by_library`: the program at `site` called a library, which read it for reasons that are not the program's.
 */
void tapescope_host_read(tapescope_tensor id, uint32_t site, uint16_t mark, int by_library);
void tapescope_tensor_name(tapescope_tensor id, uint32_t name);
/* A handle: the variable that it belongs to follows, with the site and what was assigned to the handle
 * meanwhile. */
tapescope_tensor tapescope_handle_made(int64_t identity, uint32_t type, uint32_t site);
/* Where the program made the variable, if that was before its handle was. */
void tapescope_handle_site(tapescope_tensor handle, uint32_t site);
/* A variable, by its handle. It lasts: viewers that attach later get it. */
void tapescope_variable(tapescope_tensor handle, uint32_t name, int trainable, uint32_t type);
/* `value` 0: a fused update computed it. */
void tapescope_assign(tapescope_tensor handle, tapescope_tensor value, uint32_t site);

/* Values as they lie in memory. `element`: 'f' float32, 'd' float64, 'e' float16, 'B' bfloat16, 'i' int32,
 * 'l' int64, 'b' int8, 'h' int16, 'u' uint8, 'H' uint16, 'I' uint32, 'L' uint64, '?' bool; of complex numbers
 * their parts, two an element; 0 for any other, of which nothing is known. */
typedef struct tapescope_values {
  char element;
  const void* data;
  size_t count;
} tapescope_values;
/* A fingerprint, by which values that left for the host and came back are known; 0 where they cannot be read.
 */
uint16_t tapescope_mark(const tapescope_values* values);
enum { TAPESCOPE_ALL_ZERO = 1, TAPESCOPE_HAS_NAN = 2, TAPESCOPE_HAS_INFINITY = 4 };
int tapescope_look(const tapescope_values* values);
/* The first value; 0 where it cannot be read. */
int tapescope_single(const tapescope_values* values, double* value);

/* --- ops */

enum {
  TAPESCOPE_BACKWARD = 1, /* the bits of OpRecord's flags that the caller knows */
  TAPESCOPE_TRACED = 4,
};

typedef struct tapescope_op_call {
  uint16_t op;
  uint8_t flags;
  uint8_t through_silence; /* what silences the tapes is its own caller: a function's call */
  uint8_t unfollowed;      /* as the framework says itself, no gradient passes this call */
  uint32_t site;
  uint64_t begin, end; /* ticks; 0 where it did not run */
  size_t inputs, outputs;
  const tapescope_tensor* input;
  const uint32_t* input_type;
  const int64_t* identity; /* of the outputs; null where the caller keeps their ids */
  const uint32_t* output_type;
} tapescope_op_call;

uint64_t tapescope_ticks(void);
/* Records the op, and which tapes follow it. Returns the id of its first output; those of the others follow.
 */
tapescope_tensor tapescope_op(const tapescope_op_call* call);
/* How an op treats the gradients of its inputs: bit i of `never` for an input that never gets one. */
#define TAPESCOPE_NO_GRADIENT     0xffffffffu /* for none */
#define TAPESCOPE_STOPS_GRADIENTS 0x7fffffffu /* tapes do not even record it */
void tapescope_op_rule(uint16_t op, uint32_t never);

/* --- tapes of the calling thread, ids from tapescope_tape_made */

uint32_t tapescope_tape_made(int persistent, int watches_accessed);
/* `again`: it goes on with what it has. `in_graph`: entered while a function is traced. */
void tapescope_tape_enter(uint32_t tape, int again, int in_graph, uint32_t site);
void tapescope_tape_exit(uint32_t tape, uint32_t site);
void tapescope_tape_pause(uint32_t tape, uint32_t site);
void tapescope_tape_resume(uint32_t tape, uint32_t site);
void tapescope_tape_reset(uint32_t tape, uint32_t site);
void tapescope_tape_consumed(uint32_t tape, uint32_t site);
void tapescope_tape_destroyed(uint32_t tape);
void tapescope_watch(uint32_t tape, tapescope_tensor id, uint32_t type, uint32_t site);
/* Every tape that records and watches what is accessed follows the variable from now on, if it is trainable.
 */
void tapescope_variable_read(tapescope_tensor handle, int trainable, uint32_t site);
void tapescope_silence_begin(uint32_t name);
void tapescope_silence_end(void);
/* Whether a tape of the thread follows the tensor. */
int tapescope_followed(tapescope_tensor id, uint32_t type);
/* Tapes that are active on the thread. */
int tapescope_active_tapes(void);

/* --- questions */

enum { TAPESCOPE_ASK_ZERO = 1, TAPESCOPE_ASK_TRACED = 4 };
enum { TAPESCOPE_NONE = 0, TAPESCOPE_VALUE = 1, TAPESCOPE_UNCONNECTED_ZERO = 2 };

/* `targets` and `sources` follow as that many calls of tapescope_target and tapescope_source. Returns the
 * call's id. */
uint64_t tapescope_ask(uint32_t tape, int flags, uint32_t depth, uint32_t targets, uint32_t sources,
                       uint32_t site);
void tapescope_target(tapescope_tensor id, uint32_t name);
void tapescope_source(uint32_t index, tapescope_tensor id, uint32_t name);
void tapescope_backward_begin(uint32_t tape, uint64_t call);
void tapescope_backward_step(uint32_t tape, tapescope_tensor forward_output, uint32_t index);
/* What values were seen to hold; bit i of a mask is value i. */
typedef struct tapescope_masks {
  uint16_t none, zero, nan, infinity;
} tapescope_masks;
typedef struct tapescope_seen {
  tapescope_tensor forward_output;
  int forward;            /* 0: right after a backward step of that op, 1: of the op's own outputs */
  uint16_t values, given; /* how many were returned, and cotangents given */
  uint16_t zero_operands; /* forward inputs that are all zero */
  tapescope_masks results, cotangents;
} tapescope_seen;
void tapescope_step_result(const tapescope_seen* seen);
void tapescope_backward_end(uint32_t tape, uint64_t call, int raised);
/* A run of a function's graph came to a question that was traced inside of it, and something is wrong there:
 * step results and tensor values that follow are those of this run, by the tensors of the trace. */
void tapescope_graph_ask(uint32_t tape, uint64_t call);
/* What a tensor held. Nothing for elements that cannot be read. */
void tapescope_tensor_values(tapescope_tensor id, const tapescope_values* values);
void tapescope_result(uint32_t index, tapescope_tensor source, uint32_t name, int kind,
                      tapescope_tensor gradient);

/* The statistics of a gradient. */
void tapescope_gradient_values(tapescope_tensor gradient, uint32_t type, tapescope_tensor source,
                               uint32_t source_name, const tapescope_values* values);

/* --- findings: what the framework's hooks found out themselves, in words that are ready to be shown */

enum { TAPESCOPE_ANSWER = 0, TAPESCOPE_ALERT = 1, TAPESCOPE_ADVICE = 2, TAPESCOPE_RETRACE = 3 };
typedef struct tapescope_found {
  int about;
  uint16_t op;                    /* to blame */
  uint32_t subject, reason, site; /* names and a site; 0 for none */
  uint32_t message, fix;
  uint32_t detail; /* an answer's status, an alert's "backward inf", a retrace's argument */
  uint32_t target; /* a retrace: what the trace before was made for, where `message` is what the call gave */
} tapescope_found;
void tapescope_finding(const tapescope_found* found);
/* Of the finding before: the norm of a gradient and how many elements of it are not finite; of a retrace how
 * long it took, in microseconds, the number of its call and how many traces there are. */
void tapescope_finding_figures(double norm, uint64_t elements, uint64_t count);
/* An op on its way from the target towards the source. */
void tapescope_finding_step(uint16_t op, uint32_t name, uint32_t site);

/* --- functions */

uint32_t tapescope_function_made(int flags, uint32_t name, uint64_t mark, uint32_t site);
void tapescope_function_call(uint32_t function, int flags, uint32_t depth, uint64_t traced_ticks,
                             uint32_t number, uint32_t trace, uint32_t site);
void tapescope_trace_argument(uint32_t index, int kind, uint32_t name, uint32_t kept, uint32_t given,
                              uint32_t type, uint32_t alias);
void tapescope_trace_parameter(tapescope_tensor symbol, uint32_t depth, uint32_t name, uint32_t place);
/* A loop of the program that a trace holds as copies of its body: `rounds` of them, `copied` nodes together
 * of the trace's `nodes`, from op `op` at `site` on. */
void tapescope_unrolled_loop(uint32_t function, uint32_t trace, uint32_t nodes, uint32_t op, uint32_t rounds,
                             uint32_t copied, uint32_t site);
void tapescope_function_end(uint32_t function, uint32_t nodes, uint64_t begin);
/* No op read `source`: the program uses it at `use` only, where the condition at `site` holds, whose text is
 * a name. */
void tapescope_untaken(tapescope_tensor source, uint32_t condition, uint32_t site, uint32_t use);
/* A viewer steps into the call at `site` that comes: its graph runs beside it. `why`: a name, 0 where it ran
 * to its end. */
void tapescope_expansion(uint32_t name, uint32_t site);
void tapescope_expansion_end(uint32_t why);
enum { TAPESCOPE_HOLDS = 2 /* of an inner op: its time is that of the ops in it */ };
/* An op of it; no tape follows it and `identity` is not read. Returns the id of its first output, or one that
 * stands for the op. */
tapescope_tensor tapescope_inner_op(const tapescope_op_call* call);

/* --- the debugger's gate: where an attached viewer stops the thread. What runs on the thread counts as
 * nodes: forward ops that a tape records, backward steps; and as ops inside of one, at which only breakpoints
 * and the step into a node stop. */

/* Whether a debugger may stop the thread now: one look, before anything is prepared for the others. */
int tapescope_at_gate(void);
/* Whether a viewer steps into what comes next, so that a call of a graph is to be run op by op. */
int tapescope_steps_inside(void);
/* An op that a tape recorded and that is no place to stop at has run. */
void tapescope_pass_node(void);
/* Whether a tape of the thread recorded its last op; whether any is active. */
int tapescope_recorded(void);

/* What stands where the thread is: filled when something looks at it. */
typedef struct tapescope_frame tapescope_frame;
enum {
  TAPESCOPE_INPUT,
  TAPESCOPE_OUTPUT,
  TAPESCOPE_COTANGENT_IN,
  TAPESCOPE_COTANGENT_OUT,
  TAPESCOPE_GRADIENT /* of a source */
};
/* Elements as they lie in memory, which stay as they are until `release(owner)` is called, on any thread. */
typedef struct tapescope_held {
  tapescope_values values;
  void* owner;
  void (*release)(void* owner);
} tapescope_held;
typedef struct tapescope_shown {
  int list;
  int none;
  uint32_t name, type;
  tapescope_tensor id, source; /* `source`: of a gradient */
  const tapescope_held* held;  /* null, or elements of another type than `type`: its values are not known */
} tapescope_shown;
void tapescope_show(tapescope_frame* frame, const tapescope_shown* shown);

enum {
  TAPESCOPE_NODE,
  TAPESCOPE_INSIDE, /* of a node */
  TAPESCOPE_BESIDE  /* between two: a pause stops there as well */
};
typedef struct tapescope_place {
  int backward, kind;
  uint16_t op;             /* executed last */
  tapescope_tensor output; /* its first; backward: that of its forward op */
  uint32_t site;
  void (*describe)(void* context, tapescope_frame* frame); /* null: nothing is there */
  void* context;
} tapescope_place;
/* Returns when the thread goes on. */
void tapescope_arrive(const tapescope_place* place);
/* Between two nodes: a backward pass begins, the gradient of the source `name` is None, a function is traced
 * again. Only breakpoints of that kind stop there. */
enum { TAPESCOPE_BEFORE_BACKWARD, TAPESCOPE_WITHOUT_GRADIENT, TAPESCOPE_AGAIN_TRACED };
void tapescope_arrive_between(int what, const tapescope_place* place, const char* name,
                              tapescope_tensor source);

/* How the calling thread waits there; see GateWaiter. `waiter` must outlive the thread. */
typedef struct tapescope_waiter {
  void (*leave)(void);
  void (*come_back)(void);
  int (*interrupted)(void);
} tapescope_waiter;
void tapescope_set_waiter(const tapescope_waiter* waiter);

/* --- steps and scalars */

void tapescope_step_begin(uint64_t step);
void tapescope_step_end(uint64_t step, int abandoned);
void tapescope_scalar(uint32_t name, double value, uint64_t step);
void tapescope_message(uint32_t text, int severity, uint32_t site);

/* --- processes of a job */

/* What this process holds and the others of its job should hold too; call it for each source, before the
 * update. `index`: of the source among those of the step. `value`: of the source itself, else of its gradient
 * after the exchange. `hash`: of tapescope_hash or another one that all processes make alike; 0 where there
 * is no gradient. */
void tapescope_replica(uint32_t index, uint32_t name, tapescope_tensor source, int value, uint64_t hash);
/* Never 0. */
uint64_t tapescope_hash(const void* data, size_t bytes);
/* A call of a graph that exchanges inside, at `site`, came to its end. `trace`: what TensorFlow's profiler
 * left of that call alone (a serialized tensorflow.profiler.Trace), or null where it was not timed inside.
 * Returns whether it shows what the call waited. */
int tapescope_graph_wait(const void* trace, size_t bytes, uint32_t site);

#ifdef __cplusplus
}
#endif
#endif
