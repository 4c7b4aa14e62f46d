// Readable texts for a step's ops: shapes, reasons, names.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/core/names.h"
#include "engine/core/type.h"
#include "engine/events/records/ops.h"

namespace tapescope {

// "64×784", "scalar" for rank 0.
std::string shape_text(const Shape& shape);
// Between the shapes of an op's inputs; kMoreShapes begins what stands for those behind the first few.
inline constexpr std::string_view kBetweenShapes = " · ", kMoreShapes = "…";
// Why no tape recorded it: "none of its inputs is watched"; `silencer` is what silenced the tapes.
std::string_view reason_text(TapeAnswer answer, std::string_view silencer);

// Texts made once for the many ops that share them. The texts live as long as the process.
class TextCache {
 public:
  std::string_view location(SiteId site);
  std::string_view scope(ScopeId scope);
  std::string_view shapes(std::span<const Type* const> types);  // "64×784 · 784×128"

 private:
  std::unordered_map<SiteId, std::string_view> locations_;
  std::unordered_map<ScopeId, std::string_view> scopes_;
  std::unordered_map<std::string, std::string_view> shapes_;  // by the bytes of the type addresses
};

// Names that are unique within a step: "dense_1/MatMul", then "dense_1/MatMul_1".
class NameGiver {
 public:
  std::string name(std::string_view prefix, std::string_view op);

 private:
  std::unordered_map<std::string, std::uint32_t> used_;
};

}  // namespace tapescope
