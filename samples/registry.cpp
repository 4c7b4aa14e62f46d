// The registry of samples.
#include <algorithm>

#include <fmt/format.h>

#include "samples/sample.h"

namespace tapescope {

// Written by the build (samples.cmake): what each file of this folder returns.
std::vector<SampleInfo> all_samples();

const std::vector<SampleInfo>& sample_registry() {
  static const std::vector<SampleInfo> samples = [] {
    std::vector<SampleInfo> all = all_samples();
    std::sort(all.begin(), all.end(),
              [](const SampleInfo& a, const SampleInfo& b) { return a.order < b.order; });
    return all;
  }();
  return samples;
}

const SampleInfo& find_sample(std::string_view name) {
  const std::vector<SampleInfo>& samples = sample_registry();
  const auto is_it = [&](const SampleInfo& info) { return info.name == name; };
  const auto found = std::find_if(samples.begin(), samples.end(), is_it);
  if (found != samples.end()) return *found;
  throw Error(ErrorKind::value,
              fmt::format("there is no sample '{}'; 'tapescope list' names all {}", name, samples.size()));
}

}  // namespace tapescope
