// The JSON documents of the command line, field by field as design/interfaces.md fixes them.
#pragma once
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "samples/sample.h"
#include "viewer/model/compare.h"
#include "viewer/model/report.h"

namespace tapescope {

using Json = nlohmann::ordered_json;

// Not finite numbers are written "NaN", "Infinity", "-Infinity".
Json json_number(double value);
// Like json_number, but NaN is null: nothing was measured.
Json json_measured(double value);
// Nested lists of numbers; null for None.
Json json_values(const Tensor& tensor);

Json json_of(const RunReport& report);
Json json_of(const Comparison& comparison);
Json explain_json(const RunReport& report);
Json ending_json(const RunEnding& ending);
Json list_json(const std::vector<SampleInfo>& samples);

// The lists inside, as UI scripts' `state` and `report --panel` write them too.
Json gradients_json(const std::vector<GradientRow>& rows, bool with_path);
Json alerts_json(const std::vector<AlertRow>& rows);
Json advice_json(const std::vector<AdviceRow>& rows);
Json functions_json(const std::vector<FunctionRow>& rows);
Json ops_json(const std::vector<OpKindRow>& rows);

// The document as it is written: indented by two, with a line feed at its end; broken UTF-8 is replaced.
std::string json_text(const Json& document);

}  // namespace tapescope
