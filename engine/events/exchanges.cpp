// By the beginnings of their names, which the frameworks keep for them.
#include "engine/events/exchanges.h"

#include <string_view>

namespace tapescope {

bool is_exchange(OpNameId op) {
  const std::string_view name = op_name_text(op);
  for (const std::string_view beginning : {"Collective", "c10d", "_c10d", "Nccl"}) {
    if (name.starts_with(beginning)) return true;
  }
  return false;
}

}  // namespace tapescope
