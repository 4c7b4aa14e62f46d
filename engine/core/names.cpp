// Interned strings and scopes. Inserting takes a lock, reading by id does not.
#include "engine/core/names.h"

#include <cstring>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "engine/core/append_table.h"
#include "engine/core/error.h"

namespace tapescope {
namespace {

// Text to id and back. The first entry of each table is the empty text.
class StringTable {
 public:
  constexpr StringTable() = default;

  std::uint32_t intern(std::string_view text, std::uint32_t limit, std::string_view what) {
    if (text.empty()) return 0;
    std::lock_guard lock(mutex_);
    if (!ids_) {
      ids_ = new std::unordered_map<std::string_view, std::uint32_t>();
      texts_.append({});
    }
    if (const auto found = ids_->find(text); found != ids_->end()) return found->second;
    if (texts_.size() > limit) {
      fail(ErrorKind::value, "intern",
           "no id is left for another " + std::string(what) + ", the limit is " + std::to_string(limit) +
               "; do not make such names from running numbers");
    }
    char* copy = new char[text.size() + 1];
    std::memcpy(copy, text.data(), text.size());
    copy[text.size()] = 0;
    const std::string_view kept(copy, text.size());
    const std::uint32_t id = texts_.append(kept);
    ids_->emplace(kept, id);
    return id;
  }

  std::string_view text(std::uint32_t id) const {
    return id == 0 || id >= texts_.size() ? std::string_view() : texts_[id];
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string_view, std::uint32_t>* ids_ =
      nullptr;  // never destroyed: statics may still intern
  AppendTable<std::string_view> texts_;
};

constinit StringTable g_names;
constinit StringTable g_op_names;

// Scopes within each other; one deeper stands for the one that it is in. Who walks scopes does so one call a
// level, and a recording from anywhere may hold a million of them.
constexpr std::uint32_t kDeepest = 1024;
// Of a path as text; what is further out becomes "…".
constexpr std::size_t kLongestPath = 4096;

struct Scope {
  ScopeId parent = 0;
  NameId name = 0;
  std::uint32_t depth = 0;
};
constinit AppendTable<Scope> g_scopes;
constinit std::mutex g_scope_mutex;
constinit std::unordered_map<std::uint64_t, ScopeId>* g_scope_ids = nullptr;

}  // namespace

NameId intern_name(std::string_view text) { return g_names.intern(text, 0xfffffffeu, "name"); }
std::string_view name_text(NameId id) { return g_names.text(id); }

OpNameId intern_op_name(std::string_view text) {
  return static_cast<OpNameId>(g_op_names.intern(text, 0xffffu, "op name"));
}
std::string_view op_name_text(OpNameId id) { return g_op_names.text(id); }

ScopeId intern_scope(ScopeId parent, NameId name) {
  const std::uint64_t key = (static_cast<std::uint64_t>(parent) << 32) | name;
  std::lock_guard lock(g_scope_mutex);
  if (!g_scope_ids) {
    g_scope_ids = new std::unordered_map<std::uint64_t, ScopeId>();
    g_scopes.append({});
  }
  const std::uint32_t depth = parent < g_scopes.size() ? g_scopes[parent].depth + 1 : 1;
  if (depth > kDeepest) return parent;
  const auto [found, added] = g_scope_ids->try_emplace(key, 0);
  if (added) found->second = g_scopes.append({parent, name, depth});
  return found->second;
}

ScopeId scope_parent(ScopeId id) { return id == 0 || id >= g_scopes.size() ? 0 : g_scopes[id].parent; }
NameId scope_name(ScopeId id) { return id == 0 || id >= g_scopes.size() ? 0 : g_scopes[id].name; }

std::string scope_path(ScopeId id) {
  std::vector<std::string_view> names;
  std::size_t size = 0;
  for (; id != 0; id = scope_parent(id)) {
    const std::string_view name = name_text(scope_name(id));
    size += name.size() + 1;
    if (!names.empty() && size > kLongestPath) {
      names.push_back("…");
      break;
    }
    names.push_back(name);
  }
  std::string path;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (name != names.rbegin()) path += '/';
    path += *name;
  }
  return path;
}

}  // namespace tapescope
