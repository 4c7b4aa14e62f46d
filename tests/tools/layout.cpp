// tapescope-layout FILE.tg.gz...: lays graphs out and prints one JSON line a file with times and quality.
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>

#include "viewer/model/layout_draw.h"

namespace {

using namespace tapescope::layout;
using Clock = std::chrono::steady_clock;

// The view a graph opens with: about what a screen shows at the smallest readable size.
constexpr uint32_t kViewBoxes = 300;
// The tape grows in steps of 2 %, as the layout study measured it.
constexpr size_t kAppendSteps = 50;
constexpr int kRepeats = 5;

std::string read_gzip(const char* path) {
  gzFile file = gzopen(path, "rb");
  if (!file) throw std::runtime_error("cannot be opened");
  std::string text;
  char buffer[1 << 16];
  int n;
  while ((n = gzread(file, buffer, sizeof buffer)) > 0) text.append(buffer, size_t(n));
  gzclose(file);
  if (n < 0) throw std::runtime_error("is no whole gzip file");
  return text;
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0;;) {
    const size_t end = line.find('\t', begin);
    parts.push_back(line.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

uint32_t number(std::string_view text) {
  if (text == "-1") return kNone;
  uint64_t value = 0;
  if (text.empty() || text.size() > 9) throw std::runtime_error("holds a line that is none of its form");
  for (char c : text) {
    if (c < '0' || c > '9') throw std::runtime_error("holds a line that is none of its form");
    value = value * 10 + uint64_t(c - '0');
  }
  return uint32_t(value);
}

uint64_t hash(std::string_view text, bool digits = true) {
  uint64_t h = 0xcbf29ce484222325ull;  // FNV-1a
  for (char c : text)
    if (digits || c < '0' || c > '9') h = (h ^ uint8_t(c)) * 0x100000001b3ull;
  return h;
}

class Reader {
 public:
  Graph read(std::string_view text) {
    while (!text.empty()) {
      const size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      if (line.starts_with("N\t")) node(split(line));
      else if (line.starts_with("E\t")) edge(split(line));
      else if (!line.empty() && line[0] != '#')
        throw std::runtime_error("holds a line that is none of its form");
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    finish();
    return std::move(graph_);
  }

 private:
  // N id op scope dir partner shape
  void node(const std::vector<std::string_view>& f) {
    if (f.size() < 6 || f[4].empty() || number(f[1]) != graph_.ops.size())
      throw std::runtime_error("holds nodes out of order");
    Op op;
    op.type = types_.try_emplace(std::string(f[2]), uint32_t(types_.size())).first->second;
    op.scope = scope(f[3]);
    op.dir = f[4] == "b" ? Op::Backward : f[4] == "o" ? Op::Update : Op::Forward;
    op.partner = number(f[5]);
    op.wants_gradient = f[2] == "ReadVariableOp";
    const uint64_t of = op.partner < graph_.ops.size() ? graph_.ops[op.partner].key : hash(f[3]);
    const uint64_t kind = detail::mix(of, op.type * 4u + op.dir);
    op.key = detail::mix(kind, ordinals_[kind]++);
    graph_.ops.push_back(op);
  }
  void edge(const std::vector<std::string_view>& f) {
    if (f.size() < 3) throw std::runtime_error("holds a line that is none of its form");
    const uint32_t from = number(f[1]), to = number(f[2]);
    if (to >= graph_.ops.size() || from >= to)
      throw std::runtime_error("holds an edge against the order of its tape");
    graph_.edges.push_back({from, to, uint8_t(f.size() > 3 ? number(f[3]) : 0)});
  }
  void finish() {
    std::stable_sort(graph_.edges.begin(), graph_.edges.end(),
                     [](const Edge& a, const Edge& b) { return a.to < b.to; });
    std::vector<uint8_t> reads(graph_.ops.size(), 0);
    for (const Edge& e : graph_.edges) reads[e.to] = 1;
    for (size_t i = 0; i < reads.size(); ++i)
      graph_.ops[i].leaf_variable = !reads[i] && graph_.ops[i].dir == Op::Forward;
  }
  uint32_t scope(std::string_view path) {
    if (path.empty()) return kNone;
    if (const auto at = scopes_.find(std::string(path)); at != scopes_.end()) return at->second;
    uint32_t parent = kNone;
    for (size_t begin = 0; begin <= path.size();) {
      const size_t end = std::min(path.find('/', begin), path.size());
      const auto [at, fresh] =
          scopes_.try_emplace(std::string(path.substr(0, end)), uint32_t(graph_.scopes.size()));
      if (fresh)
        graph_.scopes.push_back(
            {parent, hash(path.substr(0, end)), hash(path.substr(begin, end - begin), false), 0});
      parent = at->second;
      begin = end + 1;
    }
    return parent;
  }

  Graph graph_;
  std::unordered_map<std::string, uint32_t> types_, scopes_;
  std::unordered_map<uint64_t, uint32_t> ordinals_;
};

template <class Work>
double best_ms(size_t ops, Work work) {
  double best = 1e30;
  for (int i = 0; i < (ops > 20'000 ? 3 : kRepeats); ++i) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  return best;
}

void build(const Graph& graph, const Options& options) {
  detail::Cells cells(options, detail::make_groups(graph, options));
  cells.reserve(graph.ops.size(), graph.edges.size());
  std::vector<uint32_t> inputs;
  size_t e = 0;
  for (uint32_t op = 0; op < graph.ops.size(); ++op) {
    for (inputs.clear(); e < graph.edges.size() && graph.edges[e].to == op; ++e)
      inputs.push_back(graph.edges[e].from);
    cells.add(graph, op, inputs);
  }
}

struct Append {
  double ns = 0;
  uint64_t moved = 0;
};

// Appends the whole graph op by op; a box moved if it stands elsewhere than 2 % of the tape ago.
Append append_all(const Graph& graph) {
  Append result;
  Incremental live;
  for (const Scope& scope : graph.scopes) live.add_scope(scope);
  std::vector<uint32_t> inputs;
  std::vector<Box> before;
  size_t e = 0;
  const size_t step = std::max<size_t>(1, graph.ops.size() / kAppendSteps);
  for (size_t begin = 0; begin < graph.ops.size(); begin += step) {
    const auto start = Clock::now();
    for (size_t op = begin; op < std::min(graph.ops.size(), begin + step); ++op) {
      for (inputs.clear(); e < graph.edges.size() && graph.edges[e].to == op; ++e)
        inputs.push_back(graph.edges[e].from);
      live.append(graph.ops[op], inputs);
    }
    result.ns += std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    const auto& after = live.layout().boxes;
    for (size_t b = 0; b < before.size(); ++b)
      result.moved += before[b].key != after[b].key || std::abs(before[b].x - after[b].x) > 1 ||
                      std::abs(before[b].y - after[b].y) > 1;
    before = after;
  }
  const Quality quality = measure(live.layout());
  result.moved += quality.overlaps;  // a box that covers another one would have had to move
  result.ns /= double(std::max<size_t>(1, graph.ops.size()));
  return result;
}

void report(const char* path) {
  const Graph graph = Reader().read(read_gzip(path));
  Options open, folded;
  Layout layout;
  const double build_ms = best_ms(graph.ops.size(), [&] { build(graph, open); });
  const double layout_ms = best_ms(graph.ops.size(), [&] { layout = compute(graph, open); });
  const double view_ms = best_ms(graph.ops.size(), [&] {
    folded.collapsed = default_collapsed(graph, kViewBoxes);
    compute(graph, folded);
  });
  const Append append = append_all(graph);
  const Quality quality = measure(layout);
  const char* slash = std::strrchr(path, '/');
  std::string name;
  for (const char* c = slash ? slash + 1 : path; *c; ++c) {
    if (*c == '"' || *c == '\\') name += '\\';
    name += *c;
  }
  std::printf(
      "{\"file\": \"%s\", \"ops\": %zu, \"cells\": %u, \"boxes\": %zu, \"milliseconds\": {\"build\": %.3f, "
      "\"layout\": %.3f, \"view\": %.3f}, "
      "\"append_ns\": %.0f, \"crossings\": %llu, \"overlaps\": %llu, \"upward_edges\": %llu, \"width\": "
      "%.0f, \"height\": %.0f, \"moved_on_append\": %llu}\n",
      name.c_str(), graph.ops.size(), layout.cells, layout.boxes.size(), build_ms, layout_ms, view_ms,
      append.ns, static_cast<unsigned long long>(quality.crossings),
      static_cast<unsigned long long>(quality.overlaps),
      static_cast<unsigned long long>(quality.upward_edges), layout.width, layout.height,
      static_cast<unsigned long long>(append.moved));
  std::fflush(stdout);
  if (quality.loose_ends)
    std::fprintf(stderr, "%s: %llu loose wire ends\n", path,
                 static_cast<unsigned long long>(quality.loose_ends));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: tapescope-layout FILE.tg.gz...\n");
    return 2;
  }
  int failed = 0;
  for (int i = 1; i < argc; ++i) try {
      report(argv[i]);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", argv[i], error.what());
      failed = 1;
    }
  return failed;
}
