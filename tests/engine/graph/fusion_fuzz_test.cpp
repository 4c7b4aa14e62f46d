// Random graphs of every elementwise op and dtype, broadcasts, several results and reductions: compiled, they
// give the bits of the ops one by one. TAPESCOPE_LONG=1 goes on until each op of each dtype that is fused has
// computed a million elements.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>

#include "engine/graph/fused.h"
#include "engine/graph/optimize.h"
#include "engine/graph/passes/chain.h"
#include "engine/kernels/compiled_tiles.h"
#include "tests/support/graph_maker.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

constexpr DType kTypes[] = {DType::f32, DType::f64, DType::i32, DType::i64, DType::boolean};

// An op that fusion knows, with operands of one dtype.
struct Kind {
  const OpDef* op;
  int operands;
  DType from, to;
  std::string name() const { return std::string(op->name) + " of " + std::string(name_of(from)); }
};

// Where a binary op's kernel refuses some inputs, fusion leaves it alone or refuses as well; here all are
// given that it takes.
bool may_refuse(const Kind& kind) {
  const std::string_view op = kind.op->name;
  return !is_floating(kind.from) &&
         (op == "FloorDiv" || op == "FloorMod" || op == "Pow" || op.find("Div") != op.npos);
}

// What fusion makes of the op for operands of that dtype and a result of the other; none for most.
std::vector<kernels::TileProgram::Step> steps_of(const OpDef& op, int operands, DType from, DType to) {
  Graph graph("one");
  std::vector<ValueIndex> inputs;
  for (int i = 0; i < operands; ++i) inputs.push_back(graph.add_parameter(intern_type(from, {6}), 0));
  const Type* made = intern_type(to, {6});
  const NodeIndex node = graph.add_node(op, inputs, kNoAttrs, Location::current(), 0, {&made, 1});
  return element_steps(graph, graph.nodes()[node]);
}

std::vector<Kind> fused_kinds() {
  using Code = kernels::TileProgram::Code;
  std::vector<Kind> kinds;
  for (const OpDef* op : op_table()) {
    for (const DType from : kTypes) {
      for (const DType to : {from, DType::boolean}) {
        for (const int operands : {1, 2}) {
          const auto steps = steps_of(*op, operands, from, to);
          if (steps.empty() || steps[0].code != (operands == 2 ? Code::binary : Code::unary)) continue;
          if (op->name == "AddN" || op->name == "BiasAdd") continue;
          const std::vector<const Type*> types(static_cast<std::size_t>(operands), intern_type(from, {6}));
          try {
            const auto made = infer_types(*op, types, kNoAttrs);
            const Kind kind{op, operands, from, to};
            if (made[0]->dtype == to && !may_refuse(kind)) kinds.push_back(kind);
          } catch (const std::exception&) {  // not of this dtype
          }
        }
        if (from == DType::boolean) break;
      }
    }
  }
  return kinds;
}

double special(DType dtype, unsigned pick) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kReal[] = {0, -0.0, kInfinity, -kInfinity, NAN, 1e-40, -1e-40, 1, -1, 88.7, -104, 1e30};
  constexpr double kWhole[] = {0, -1, 1, 2147483647, -2147483648, 46341};
  return is_floating(dtype) ? kReal[pick % std::size(kReal)] : kWhole[pick % std::size(kWhole)];
}

Tensor numbers(const Type& type, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> everyday(0, 3);
  Tensor tensor(new_tensor(&type));
  for (std::int64_t i = 0; i < type.numel; ++i) {
    const unsigned kind = random() % 12;
    const double x = kind == 0 ? special(type.dtype, random()) : everyday(random);
    set_element(tensor.impl(), i, type.dtype == DType::boolean ? double(kind % 2) : x);
  }
  return tensor;
}

// A NaN may have another sign or payload in machine code.
template <class T>
std::int64_t first_difference(const Tensor& a, const Tensor& b) {
  const T *x = static_cast<const T*>(a.raw()), *y = static_cast<const T*>(b.raw());
  for (std::int64_t i = 0; i < a.type().numel; ++i) {
    if (std::memcmp(x + i, y + i, sizeof(T)) != 0 && !(x[i] != x[i] && y[i] != y[i])) return i;
  }
  return -1;
}
std::int64_t first_difference(const Tensor& a, const Tensor& b) {
  switch (a.dtype()) {
    case DType::f32: return first_difference<float>(a, b);
    case DType::f64: return first_difference<double>(a, b);
    case DType::i32: return first_difference<std::int32_t>(a, b);
    case DType::i64: return first_difference<std::int64_t>(a, b);
    default: return first_difference<std::uint8_t>(a, b);
  }
}

class RandomChains {
 public:
  RandomChains(const std::vector<Kind>& kinds, unsigned seed, std::int64_t elements)
      : kinds_(kinds), random_(seed) {
    const std::int64_t columns = 1 + below(2) * 512 + below(700);
    rows_ = std::max<std::int64_t>(1, elements / columns);
    columns_ = columns;
    const Shape shapes[] = {{rows_, columns_}, {rows_, columns_}, {columns_}, {1, columns_}, {rows_, 1}, {}};
    for (const DType dtype : kTypes) {
      for (const Shape& shape : shapes) {
        if (below(2) == 0 || shape.rank() == 2) add(make.parameter(shape, dtype));
      }
    }
    const int nodes = 4 + static_cast<int>(below(26));
    for (int n = 0; n < nodes; ++n) step();
    // Of several dtypes, and what is computed in the middle.
    std::vector<ValueIndex>& results = make.graph->results;
    for (std::size_t i = 0; i < made_.size(); ++i) {
      if (i + 1 == made_.size() || below(6) == 0) results.push_back(made_[i]);
    }
    for (const ValueIndex value : made_) {
      if (is_floating(type(value).dtype) && type(value).shape.rank() == 2 && below(8) == 0)
        results.push_back(make.reduce(pick_of({"Sum", "Mean", "Max", "Min", "Prod", "EuclideanNorm"}), value,
                                      below(2) == 0 ? std::vector<int>{1} : std::vector<int>{0}));
    }
  }

  GraphMaker make;
  std::map<std::string, std::int64_t> counts;  // elements, by op

 private:
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(random_() % static_cast<unsigned>(n));
  }
  std::string_view pick_of(std::vector<std::string_view> list) {
    return list[static_cast<std::size_t>(below(static_cast<std::int64_t>(list.size())))];
  }
  const Type& type(ValueIndex value) const { return *make.graph->value(value).type; }
  bool is_whole(ValueIndex value) const { return type(value).numel == rows_ * columns_; }
  void add(ValueIndex value) { values_[static_cast<int>(type(value).dtype)].push_back(value); }
  // One of the latest, mostly.
  ValueIndex pick(DType dtype, bool whole) {
    const auto& all = values_[static_cast<int>(dtype)];
    for (;;) {
      const auto back =
          below(below(3) == 0 ? static_cast<std::int64_t>(all.size())
                              : std::min<std::int64_t>(4, static_cast<std::int64_t>(all.size())));
      const ValueIndex value = all[all.size() - 1 - static_cast<std::size_t>(back)];
      if (!whole || is_whole(value)) return value;
      const auto any = std::ranges::find_if(all, [&](ValueIndex v) { return is_whole(v); });
      if (back == 0 || below(4) == 0) return *any;
    }
  }
  void count(const std::string& name) { counts[name] += rows_ * columns_; }
  void step() {
    ValueIndex value = 0;
    const auto what = below(20);
    if (what == 0) {
      const DType from = kTypes[below(std::size(kTypes))], to = kTypes[below(std::size(kTypes))];
      if (from == to) return;
      Attrs attrs;
      attrs.push(static_cast<int>(to));
      value = make.op("Cast", {pick(from, true)}, attrs);
      count("Cast of " + std::string(name_of(from)));
    } else if (what == 1) {
      const DType dtype = kTypes[below(std::size(kTypes))];
      value = make.op("SelectV2", {pick(DType::boolean, true), pick(dtype, true), pick(dtype, true)});
      count("SelectV2 of " + std::string(name_of(dtype)));
    } else {
      const Kind& kind = kinds_[static_cast<std::size_t>(below(static_cast<std::int64_t>(kinds_.size())))];
      Attrs attrs;
      attrs.f[0] = 0.2;
      std::vector<ValueIndex> inputs{pick(kind.from, true)};
      if (kind.operands == 2) {
        // Gradients take operands of one shape.
        const bool broadcasts = kind.op->name.find("Grad") == std::string_view::npos;
        inputs.push_back(pick(kind.from, !broadcasts));
        if (below(2) == 0) std::swap(inputs[0], inputs[1]);
      }
      try {
        value = make.op(kind.op->name, inputs, attrs, below(3) == 0 ? GraphNode::kBackward : 0);
      } catch (const std::exception&) {
        return;  // an op that does not broadcast
      }
      count(kind.name());
    }
    add(value);
    made_.push_back(value);
  }
  const std::vector<Kind>& kinds_;
  std::mt19937 random_;
  std::int64_t rows_ = 1, columns_ = 1;
  std::map<int, std::vector<ValueIndex>> values_;  // by dtype
  std::vector<ValueIndex> made_;
};

}  // namespace

TEST_CASE("random compiled graphs of all ops, dtypes and broadcasts have the bits of the ops", "[graph]") {
  const bool longer = std::getenv("TAPESCOPE_LONG") != nullptr;
  kernels::CompiledTiles::compile_at_once(true);
  struct Off {
    ~Off() { kernels::CompiledTiles::compile_at_once(false); }
  } off;
  const std::vector<Kind> kinds = fused_kinds();
  REQUIRE(kinds.size() > 100);
  std::map<std::string, std::int64_t> counts;
  for (const Kind& kind : kinds) counts[kind.name()] = 0;
  const auto least = [&] {
    return std::ranges::min_element(counts, {}, [](const auto& each) { return each.second; })->second;
  };
  std::size_t fused = 0, code = 0;
  for (unsigned seed = 1; longer ? least() < 1'000'000 : seed <= 120; ++seed) {
    RandomChains chains(kinds, seed, longer ? 40'000 : 1500);
    for (const auto& [name, elements] : chains.counts) counts[name] += elements;
    const auto graph = chains.make.graph;
    std::vector<Tensor> parameters;
    for (const ValueIndex parameter : graph->parameters())
      parameters.push_back(numbers(*graph->value(parameter).type, seed * 31 + parameter));
    INFO("seed " << seed << "\n" << graph_text(*graph));
    const auto expected = run_eagerly(*graph, parameters);
    optimize(*graph, {.reassociating = false, .compiled = true});
    INFO(graph_text(*graph));
    Executable executable(graph);
    run(executable, parameters);
    const auto got = run(executable, parameters);
    REQUIRE(got.size() == expected.size());
    for (std::size_t r = 0; r < got.size(); ++r) {
      INFO("result " << r);
      REQUIRE(&got[r].type() == &expected[r].type());
      const std::int64_t at = first_difference(got[r], expected[r]);
      if (at >= 0)
        FAIL("element " << at << ": " << element(got[r], at) << " for " << element(expected[r], at));
    }
    for (const GraphNode& node : graph->nodes()) {
      if (!parts_of(node) || node.op == &kFusedMatMul) continue;
      ++fused;
      const auto& compiled = fused_chain(node.attrs).program.compiled;
      code += compiled && compiled->state() == kernels::CompiledTiles::State::compiled;
    }
  }
  CHECK(fused > 100);
  if (kernels::load_machine_code_compiler()) CHECK(code > fused / 10);
  if (longer) CHECK(least() >= 1'000'000);
}
