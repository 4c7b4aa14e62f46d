// Cases of tests/goldens/layers.json: tensors, and how near a result must be.
#pragma once
#include <fstream>

#include <nlohmann/json.hpp>

#include "engine/core/tensor.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

namespace tapescope::goldens {

inline Tensor tensor_of(const nlohmann::json& j) {
  Shape shape;
  for (std::int64_t size : j["shape"]) shape.push_back(size);
  return make_tensor(j["data"].get<std::vector<double>>(), shape, dtype_named(j["dtype"].get<std::string>()));
}

// float32's tolerance in tests/goldens/README.md.
inline void check_close(const Tensor& got, const nlohmann::json& expected) {
  REQUIRE(got);
  const auto wanted = expected["data"].get<std::vector<double>>();
  REQUIRE(got.numel() == static_cast<std::int64_t>(wanted.size()));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    INFO("element " << i);
    CHECK(element(got, static_cast<std::int64_t>(i)) == Approx(wanted[i]).epsilon(1e-5).margin(1e-5));
  }
}

// The cases of layers.json whose op begins with that.
inline std::vector<nlohmann::json> layer_cases(const std::string& op) {
  std::ifstream file(tests_folder() + "/goldens/layers.json");
  REQUIRE(file.good());
  std::vector<nlohmann::json> cases;
  const nlohmann::json all = nlohmann::json::parse(file);
  for (const nlohmann::json& c : all["cases"]) {
    if (c["op"].get<std::string>().starts_with(op)) cases.push_back(c);
  }
  REQUIRE_FALSE(cases.empty());
  return cases;
}

}  // namespace tapescope::goldens
