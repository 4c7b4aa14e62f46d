// Which fields of a record hold ids or ticks: what has to be defined when it is written and translated when
// it is read.
#pragma once
#include <cstdint>

#include "engine/events/record.h"
#include "engine/events/step_result.h"

namespace tapescope::record {

inline constexpr int kRecordKinds = static_cast<int>(kStepResult) + 1;

enum class Role : std::uint8_t { plain, name, op_name, site, type, ticks };

// x, y and z by their 32-bit halves, the low one first. Ticks at a low half fill the whole of the field, at a
// high half that half alone.
struct FieldRoles {
  Role b = Role::plain, h = Role::plain;
  Role x0 = Role::plain, x1 = Role::plain, y0 = Role::plain, y1 = Role::plain, z0 = Role::plain,
       z1 = Role::plain;
};

const FieldRoles& roles_of(RecordKind kind);

// Calls `visit(Role, std::uint32_t& id)` for each id of the record; what it assigns is stored.
template <class Visit>
void visit_ids(Record& record, Visit&& visit) {
  const FieldRoles& roles = roles_of(record.kind);
  const auto is_id = [](Role role) { return role != Role::plain && role != Role::ticks; };
  if (is_id(roles.b)) visit(roles.b, record.b);
  if (is_id(roles.h)) {
    std::uint32_t id = record.h;
    visit(roles.h, id);
    record.h = static_cast<std::uint16_t>(id);
  }
  const auto halves = [&](Role low, Role high, std::uint64_t& field) {
    if (!is_id(low) && !is_id(high)) return;
    std::uint32_t half[2] = {static_cast<std::uint32_t>(field), static_cast<std::uint32_t>(field >> 32)};
    if (is_id(low)) visit(low, half[0]);
    if (is_id(high)) visit(high, half[1]);
    field = half[0] | static_cast<std::uint64_t>(half[1]) << 32;
  };
  halves(roles.x0, roles.x1, record.x);
  halves(roles.y0, roles.y1, record.y);
  halves(roles.z0, roles.z1, record.z);
}

}  // namespace tapescope::record
