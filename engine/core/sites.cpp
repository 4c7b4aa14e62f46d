// Interned call sites. A program calls from few places many times, so each thread keeps a small
// direct-mapped cache in front of the shared table.
#include <array>
#include <filesystem>
#include <map>
#include <mutex>
#include <unordered_map>

#include "engine/core/append_table.h"
#include "engine/core/names.h"
#include "engine/core/per_thread.h"

namespace tapescope {
namespace {

struct Key {
  NameId file;
  NameId function;
  std::uint32_t line;
  ScopeId scope;
  bool operator==(const Key&) const = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t hash = (static_cast<std::uint64_t>(key.file) << 32 | key.line) * 0x9e3779b97f4a7c15u;
    hash ^= (static_cast<std::uint64_t>(key.function) << 32 | key.scope) + (hash >> 29);
    return static_cast<std::size_t>(hash * 0x9e3779b97f4a7c15u >> 16);
  }
};

constinit AppendTable<CallSite> g_sites;
constinit std::mutex g_mutex;
constinit std::unordered_map<Key, SiteId, KeyHash>* g_ids =
    nullptr;  // never destroyed: statics may still intern

// Two pointers to literals, a line and a scope name a call without reading any text.
struct CacheEntry {
  const char* file = nullptr;
  const char* function = nullptr;
  std::uint32_t line = 0;
  ScopeId scope = 0;
  SiteId site = 0;
};
constexpr std::size_t kCacheEntries = 512;  // 16 KiB a thread; a training step has some hundred places
using SiteCache = std::array<CacheEntry, kCacheEntries>;

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// "float tapescope::Net::loss(const Tensor&) const [with T = int]" becomes "tapescope::Net::loss".
std::string short_function(std::string_view pretty) {
  if (const std::size_t with = pretty.find(" [with "); with != std::string_view::npos)
    pretty = pretty.substr(0, with);
  std::string flat;
  int depth = 0;
  for (std::size_t i = 0; i < pretty.size(); ++i) {
    const char c = pretty[i];
    if (c == '(' || c == '<') {
      if (depth++ == 0 && pretty.substr(i).starts_with("<lambda")) flat += "lambda";
    } else if (c == ')' || c == '>') {
      if (depth > 0) --depth;
    } else if (depth == 0) {
      flat += c;
    }
  }
  for (std::string_view tail : {" const", " &", " noexcept"}) {
    if (flat.ends_with(tail)) flat.resize(flat.size() - tail.size());
  }
  const std::size_t space = flat.find_last_of(" *&");
  std::string name = space == std::string::npos ? flat : flat.substr(space + 1);
  return name.empty() ? std::string(pretty) : name;
}

}  // namespace

SiteId intern_site(std::string_view file, std::string_view function, std::uint32_t line, ScopeId scope) {
  // Line 0 without a file is the unknown place, which has one id for each scope and id 0 outside all.
  const Key key{intern_name(base_name(file)), intern_name(function), line, scope};
  if (key == Key{0, 0, 0, 0}) return 0;
  std::lock_guard lock(g_mutex);
  if (!g_ids) {
    g_ids = new std::unordered_map<Key, SiteId, KeyHash>();
    g_sites.append({});
  }
  const auto [found, added] = g_ids->try_emplace(key, 0);
  if (added) found->second = g_sites.append({name_text(key.file), name_text(key.function), line, scope});
  return found->second;
}

SiteId intern_site(const Location& location, ScopeId scope) {
  const char* file = location.file_name();
  const char* function = location.function_name();
  const std::uint32_t line = location.line();
  const auto looked_up = [&] {
    note_source_path(file);
    return intern_site(std::string_view(file), short_function(function), line, scope);
  };
  SiteCache* const cache = PerThread<SiteCache>::get();
  if (!cache) [[unlikely]]
    return looked_up();  // the thread ends
  // Lines and scopes count up from small numbers; files differ in the pointers' middle bits.
  const std::size_t place =
      (line * 5u + scope * 97u + static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(file) >> 5)) %
      kCacheEntries;
  CacheEntry& entry = (*cache)[place];
  if (entry.file == file && entry.line == line && entry.scope == scope && entry.function == function)
    return entry.site;
  entry = {file, function, line, scope, looked_up()};
  return entry.site;
}

namespace {

struct SourcePaths {
  std::mutex mutex;
  std::map<std::string, std::string> by_name;
};
SourcePaths& known_paths() {
  static SourcePaths* instance = new SourcePaths;  // never destroyed: statics may still intern
  return *instance;
}
constexpr std::size_t kMostSources = 1000;

// A path that the build cut (-fmacro-prefix-map) begins in the project's folder, which is mostly one of those
// that the program lies in.
std::string whole_path(const std::filesystem::path& path) {
  std::error_code failed;
  const std::filesystem::path here = std::filesystem::absolute(path, failed).lexically_normal();
  if (failed) return path.string();
  if (path.is_absolute() || std::filesystem::exists(here, failed)) return here.string();
  std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", failed);
  while (!failed && folder.has_relative_path()) {
    folder = folder.parent_path();
    const std::filesystem::path there = (folder / path).lexically_normal();
    if (std::filesystem::exists(there, failed)) return there.string();
    failed.clear();
  }
  return here.string();
}

}  // namespace

void note_source_path(std::string_view path) {
  const std::string name(base_name(path));
  if (name.empty() || name.front() == '<') return;  // "<stdin>" is no file
  SourcePaths& known = known_paths();
  std::lock_guard lock(known.mutex);
  if (known.by_name.size() >= kMostSources || known.by_name.contains(name)) return;
  known.by_name[name] = whole_path(path);
}

std::map<std::string, std::string> source_paths() {
  SourcePaths& known = known_paths();
  std::lock_guard lock(known.mutex);
  return known.by_name;
}

std::size_t source_path_count() {
  SourcePaths& known = known_paths();
  std::lock_guard lock(known.mutex);
  return known.by_name.size();
}

CallSite site_with_id(SiteId id) { return id == 0 || id >= g_sites.size() ? CallSite{} : g_sites[id]; }

std::string location_text(const CallSite& site) {
  if (site.file.empty()) return {};
  return std::string(site.file) + ":" + std::to_string(site.line);
}

std::string location_text(const Location& location) {
  return location_text(CallSite{base_name(location.file_name()), {}, location.line(), 0});
}

}  // namespace tapescope
