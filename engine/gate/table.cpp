// The op table: the families' rows in one list, with their ids.
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/gate/families.h"
#include "engine/gate/register.h"

namespace tapescope {
namespace {

struct Table {
  std::vector<const OpDef*> rows;
  std::unordered_map<std::string_view, const OpDef*> by_name;

  Table() {
    for (auto family : {variable_ops(), elementwise_ops(), reduce_ops(), linalg_ops(), creation_ops(),
                        shape_ops(), index_ops(), nn_ops(), list_ops(), parallel_ops()}) {
      for (const OpDef* row : family) {
        row->id = intern_op_name(row->name);
        // Of two rows of one name the first is found; a test refuses such a table.
        by_name.emplace(row->name, row);
        rows.push_back(row);
      }
    }
  }
};

const Table& table() {
  static const Table instance;
  return instance;
}

// Ids are wanted by the first op already, long before anybody asks for the table.
[[maybe_unused]] const bool g_made = (table(), true);

}  // namespace

std::span<const OpDef* const> op_table() { return table().rows; }

const OpDef* find_op(std::string_view name) {
  const auto found = table().by_name.find(name);
  return found == table().by_name.end() ? find_registered_op(name) : found->second;
}

}  // namespace tapescope
