// Interned strings, source locations and scopes: a record holds their ids, never text.
#pragma once
#include <cstdint>
#include <map>
#include <source_location>
#include <string>
#include <string_view>

#include "engine/core/public.h"

namespace tapescope TAPESCOPE_PUBLIC {

using Location = std::source_location;
using NameId = std::uint32_t;    // 0 is the empty name
using OpNameId = std::uint16_t;  // a separate table for op types, so that a record spends two bytes
using SiteId = std::uint32_t;    // 0 is an unknown place
using ScopeId = std::uint32_t;   // 0 is the outermost scope

// Where an op was called and in which scope. `file` is the base name of the source file.
struct CallSite {
  std::string_view file;
  std::string_view function;
  std::uint32_t line = 0;
  ScopeId scope = 0;
};

// Interns; thread-safe. The text lives as long as the process.
NameId intern_name(std::string_view text);
std::string_view name_text(NameId id);

// Throws ValueError when more than 65,535 op names were interned.
OpNameId intern_op_name(std::string_view text);
std::string_view op_name_text(OpNameId id);

// The scope `name` inside `parent`, such as "dense_1" inside 0.
ScopeId intern_scope(ScopeId parent, NameId name);
ScopeId scope_parent(ScopeId id);
NameId scope_name(ScopeId id);
// "model/dense_1"
std::string scope_path(ScopeId id);

// Fast on repeated calls from one thread for the same place: a small direct-mapped cache.
SiteId intern_site(const Location& location, ScopeId scope);
// For records that other programs wrote: a place given by text.
SiteId intern_site(std::string_view file, std::string_view function, std::uint32_t line, ScopeId scope);
// Where a file of this program's places is, by its name without a folder: the path that the compiler or the
// interpreter was given, from the current folder or else from one that the program lies in. Of several files
// of one name the first; of at most 1,000 files.
void note_source_path(std::string_view path);
std::map<std::string, std::string> source_paths();
std::size_t source_path_count();
CallSite site_with_id(SiteId id);

// "mnist_mlp.cpp:41"; empty for an unknown place.
std::string location_text(const Location& location);
std::string location_text(const CallSite& site);

}  // namespace tapescope
