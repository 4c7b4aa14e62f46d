// The table of roles, in the order of RecordKind; format.md has the same table for other writers.
#include "engine/recording/fields.h"

#include <array>

namespace tapescope::record {
namespace {

// These numbers are on disk: a kind added to the enumeration goes to its end.
static_assert(static_cast<int>(RecordKind::op) == 1);
static_assert(static_cast<int>(RecordKind::gradient_ask) == 19);
static_assert(static_cast<int>(RecordKind::step_begin) == 26);
static_assert(static_cast<int>(RecordKind::message) == 36);
static_assert(static_cast<int>(RecordKind::clock_pair) == 38);

constexpr std::array<FieldRoles, kRecordKinds> make_table() {
  std::array<FieldRoles, kRecordKinds> table{};
  const auto at = [&](RecordKind kind) -> FieldRoles& { return table[static_cast<std::size_t>(kind)]; };
  at(RecordKind::op) = {
      .b = Role::site, .h = Role::op_name, .x0 = Role::ticks, .z0 = Role::type, .z1 = Role::ticks};
  at(RecordKind::output) = {.y0 = Role::type};
  at(RecordKind::create) = {.b = Role::site, .y0 = Role::type};
  at(RecordKind::host_read) = {.b = Role::site};
  at(RecordKind::tensor_name) = {.b = Role::name};
  at(RecordKind::variable) = {.b = Role::name, .y0 = Role::type, .y1 = Role::site};
  at(RecordKind::assign) = {.b = Role::site};
  for (RecordKind kind :
       {RecordKind::tape_enter, RecordKind::tape_exit, RecordKind::tape_pause, RecordKind::tape_resume,
        RecordKind::tape_reset, RecordKind::tape_consumed, RecordKind::tape_destroyed}) {
    at(kind) = {.x0 = Role::site};
  }
  at(RecordKind::watch) = {.y0 = Role::site};
  at(RecordKind::silence_begin) = {.b = Role::name};
  at(RecordKind::gradient_ask) = {.y0 = Role::site};
  at(RecordKind::target) = {.b = Role::name};
  at(RecordKind::source) = {.b = Role::name};
  for (RecordKind kind : {RecordKind::backward_begin, RecordKind::backward_step, RecordKind::backward_end}) {
    at(kind) = {.x0 = Role::ticks};
  }
  for (RecordKind kind : {RecordKind::step_begin, RecordKind::step_end}) at(kind) = {.y0 = Role::ticks};
  at(RecordKind::scalar) = {.b = Role::name};
  at(RecordKind::function_made) = {.x0 = Role::site, .y0 = Role::name};
  at(RecordKind::function_call) = {.x0 = Role::ticks, .y1 = Role::site};
  at(RecordKind::function_end) = {.x0 = Role::ticks, .y1 = Role::ticks};
  at(RecordKind::trace_argument) = {.b = Role::name, .x0 = Role::name, .x1 = Role::name, .y0 = Role::type};
  at(RecordKind::graph_pass) = {.b = Role::name};
  at(RecordKind::rewrite) = {.b = Role::name, .x0 = Role::name, .x1 = Role::name, .y0 = Role::site};
  at(RecordKind::batch_fallback) = {.b = Role::op_name, .x0 = Role::site};
  at(RecordKind::message) = {.b = Role::name, .x0 = Role::site};
  at(RecordKind::clock_pair) = {.x0 = Role::ticks};
  return table;
}

constexpr std::array<FieldRoles, kRecordKinds> kTable = make_table();

}  // namespace

const FieldRoles& roles_of(RecordKind kind) { return kTable[static_cast<std::size_t>(kind)]; }

}  // namespace tapescope::record
