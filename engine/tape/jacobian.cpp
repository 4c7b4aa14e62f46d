// Jacobians: the backward cursor run with all rows of the identity at once as cotangents, or with one at a
// time.
#include <algorithm>

#include <fmt/format.h>

#include "engine/ops/batch.h"
#include "engine/ops/shape.h"
#include "engine/ops/slices.h"
#include "engine/tape/identity.h"
#include "engine/tape/in_shape.h"
#include "engine/tape/question.h"
#include "engine/tape/tape.h"

namespace tapescope {

Tensor identity_rows(const Type& target, std::int64_t first, std::int64_t count) {
  Shape shape{count};
  for (std::int64_t size : target.shape.dims()) shape.push_back(size);
  Tensor seeds = make_full(shape, 0, target.dtype);
  for (std::int64_t r = 0; r < count; ++r) set_element(seeds.impl(), r * target.numel + first + r, 1);
  return seeds;
}

namespace {

// What the cotangents of one pass may take together: large enough that passes are few, small beside a
// machine's memory.
constexpr std::int64_t kPassBytes = std::int64_t{64} << 20;

// Bytes of the cotangents that are alive at once when one row is walked back from `target`, at most.
std::int64_t row_bytes(const TapeStorage& tape, const Traced& target) {
  std::vector<std::uint8_t> alive(tape.values.size());
  const auto bytes = [&](std::uint32_t value) { return type_with_id(tape.values[value].type)->bytes; };
  std::int64_t now = target.type().bytes, most = now;
  if (const std::uint32_t value = tape.find(target.tensor()); value != kNoValue) alive[value] = 1;
  for (std::uint32_t n = tape.nodes.size(); n-- > 0;) {
    const Node& node = tape.nodes[n];
    std::int64_t outputs = 0;
    bool reached = false;
    for (std::uint32_t k = 0; k < node.outputs; ++k) {
      const std::uint32_t value = node.first_value + k;
      if (!alive[value]) continue;
      reached = true;
      outputs += bytes(value);
    }
    if (!reached) continue;
    for (std::uint32_t i = 0; i < node.inputs; ++i) {
      const std::uint32_t value = tape.inputs[node.first_input + i].value;
      if (value == kNoValue || alive[value]) continue;
      alive[value] = 1;
      now += bytes(value);
    }
    most = std::max(most, now);
    now -= outputs;
  }
  return most;
}

// The cotangents of rows `first` to `first + count`: [count, target's shape].
using Seeds = Tensor (*)(const Type& target, std::int64_t first, std::int64_t count);

// Row j has ones in column j of each of the target's own rows.
Tensor identity_columns(const Type& target, std::int64_t first, std::int64_t count) {
  const std::int64_t examples = target.shape[0], columns = examples == 0 ? 0 : target.numel / examples;
  Shape shape{count};
  for (std::int64_t size : target.shape.dims()) shape.push_back(size);
  Tensor seeds = make_full(shape, 0, target.dtype);
  for (std::int64_t r = 0; r < count; ++r) {
    for (std::int64_t b = 0; b < examples; ++b)
      set_element(seeds.impl(), r * target.numel + b * columns + first + r, 1);
  }
  return seeds;
}

struct Walk {
  TapeStorage& tape;
  TapeQuestion& question;
  const Traced& target;
  std::span<const Traced> sources;
  std::int64_t rows;
  Seeds seeds;
};

// parts[s]: what the passes gave for source s; empty where nothing connects it with the target.
using Parts = std::vector<std::vector<Tensor>>;

std::vector<Tensor> pass(const Walk& walk, const Tensor& seed, bool first, bool last, std::int64_t passes) {
  const GradientOptions options{.output_gradients = {seed}};
  Cursor cursor(walk.tape, {&walk.target, 1}, walk.sources, options);
  if (!last) cursor.keep_saved();
  if (first) walk.question.begin(cursor, static_cast<std::uint64_t>(passes));
  while (cursor.step()) {
  }
  std::vector<Tensor> results = cursor.results();
  // A row of a Jacobian is dense, also where a gather's gradient is kept as rows.
  for (Tensor& result : results) {
    if (result) result = to_dense(result);
  }
  return results;
}

void walk_in_chunks(const Walk& walk, std::int64_t chunk, Parts& parts) {
  const std::int64_t passes = (walk.rows + chunk - 1) / chunk;
  BatchMode mode(std::min(chunk, walk.rows));
  for (std::int64_t first = 0; first < walk.rows; first += chunk) {
    const std::int64_t count = std::min(chunk, walk.rows - first);
    if (first > 0) mode.restart(count);
    const Tensor rows = walk.seeds(walk.target.type(), first, count);
    const Tensor seed = walk.seeds == identity_rows ? mode.wrap_identity(rows, first) : mode.wrap(rows);
    const std::vector<Tensor> results = pass(walk, seed, first == 0, first + count == walk.rows, passes);
    for (std::size_t s = 0; s < results.size(); ++s) {
      if (results[s]) parts[s].push_back(mode.unwrap(results[s]));
    }
  }
}

void walk_one_by_one(const Walk& walk, Parts& parts) {
  const Shape& shape = walk.target.type().shape;
  for (std::int64_t row = 0; row < walk.rows; ++row) {
    const Tensor seed = reshape(walk.seeds(walk.target.type(), row, 1), shape);
    const std::vector<Tensor> results = pass(walk, seed, row == 0, row + 1 == walk.rows, walk.rows);
    for (std::size_t s = 0; s < results.size(); ++s) {
      if (results[s]) parts[s].push_back(expand_dims(results[s], 0));
    }
  }
}

// A target without elements has no rows; what is connected is still to be found out.
void walk_nothing(const Walk& walk, Parts& parts) {
  const std::vector<Tensor> results =
      pass(walk, make_full(walk.target.type().shape, 0, walk.target.type().dtype), true, true, 1);
  for (std::size_t s = 0; s < results.size(); ++s) {
    if (!results[s]) continue;
    Shape shape{0};
    for (std::int64_t size : results[s].shape().dims()) shape.push_back(size);
    parts[s].push_back(make_full(shape, 0, results[s].dtype()));
  }
}

// [rows, source's shape] for each source, absent where nothing connects it with the target.
std::vector<Tensor> rows_of(const Walk& walk, const JacobianOptions& options) {
  Parts parts(walk.sources.size());
  walk.question.run([&] {
    if (walk.rows == 0) return walk_nothing(walk, parts);
    if (!options.vectorized) return walk_one_by_one(walk, parts);
    const std::int64_t fitting = kPassBytes / std::max<std::int64_t>(1, row_bytes(walk.tape, walk.target));
    walk_in_chunks(walk, options.chunk ? options.chunk : std::clamp<std::int64_t>(fitting, 1, walk.rows),
                   parts);
  });
  std::vector<Tensor> stacked;
  for (const std::vector<Tensor>& part : parts) stacked.push_back(part.empty() ? Tensor() : concat(part, 0));
  return stacked;
}

void check_options(const TapeStorage& tape, std::string_view op, const JacobianOptions& options,
                   const Location& location) {
  if (options.chunk == 1 || options.chunk < 0) {
    fail(ErrorKind::value, op,
         fmt::format("expected a chunk of at least 2 rows, or 0 for as many as fit, got {}", options.chunk),
         &location);
  }
  if (tape.persistent) return;
  if (!options.vectorized) {
    fail(ErrorKind::runtime, op,
         fmt::format("a loop walks {} once a row, and it is not persistent; make it with persistent = true, "
                     "or leave vectorized on",
                     called(tape)),
         &location);
  }
  if (options.chunk != 0) {
    fail(ErrorKind::value, op,
         fmt::format("chunks walk {} more than once, and it is not persistent; make it with persistent = "
                     "true, or leave the chunk to be chosen",
                     called(tape)),
         &location);
  }
}

Shape joined(std::string_view op, const Shape& a, const Shape& b, const Location& location) {
  if (a.rank() + b.rank() > kMaxRank) {
    fail(ErrorKind::value, op,
         fmt::format("the result would have {} dimensions, those of {} and {}; the most is {} (hint: reshape "
                     "one of them)",
                     a.rank() + b.rank(), a.text(), b.text(), kMaxRank),
         &location);
  }
  Shape shape = a;
  for (std::int64_t size : b.dims()) shape.push_back(size);
  return shape;
}

}  // namespace

std::vector<Tensor> GradientTape::jacobian(const Traced& target, std::span<const Traced> sources,
                                           const JacobianOptions& options, Location location) {
  TapeStorage& tape = living(storage_.get(), "jacobian", location);
  check_traced(target, "target", location);
  std::vector<Shape> shapes;
  for (const Traced& source : sources) {
    check_traced(source, "source", location);
    shapes.push_back(joined("jacobian", target.type().shape, source.type().shape, location));
  }
  check_options(tape, "jacobian", options, location);
  TapeQuestion question(tape, "jacobian", {&target, 1}, sources, {.unconnected = options.unconnected},
                        location);
  std::vector<Tensor> result =
      rows_of({tape, question, target, sources, target.type().numel, identity_rows}, options);
  for (std::size_t s = 0; s < sources.size(); ++s) {
    if (result[s]) result[s] = in_shape(std::move(result[s]), shapes[s], location);
    question.result(s, result[s], [&] { return make_full(shapes[s], 0, sources[s].type().dtype); });
  }
  return result;
}

Tensor GradientTape::jacobian(const Traced& target, const Traced& source, const JacobianOptions& options,
                              Location location) {
  return std::move(jacobian(target, std::span(&source, 1), options, location)[0]);
}

std::vector<Tensor> GradientTape::jacobian(const Traced& target, std::initializer_list<Traced> sources,
                                           const JacobianOptions& options, Location location) {
  return jacobian(target, std::span(sources.begin(), sources.size()), options, location);
}

Tensor GradientTape::batch_jacobian(const Traced& target, const Traced& source,
                                    const JacobianOptions& options, Location location) {
  TapeStorage& tape = living(storage_.get(), "batch_jacobian", location);
  check_traced(target, "target", location);
  check_traced(source, "source", location);
  const Shape &y = target.type().shape, &x = source.type().shape;
  if (y.rank() < 2 || x.rank() < 2 || y[0] != x[0]) {
    fail(ErrorKind::value, "batch_jacobian",
         fmt::format("expected a target and a source of at least two dimensions, the first of the same size, "
                     "got {} and {}; use "
                     "jacobian() where rows do not match",
                     target.type().text(), source.type().text()),
         &location);
  }
  const Shape shape = joined("batch_jacobian", y, Shape(x.dims().subspan(1)), location);
  check_options(tape, "batch_jacobian", options, location);
  TapeQuestion question(tape, "batch_jacobian", {&target, 1}, {&source, 1},
                        {.unconnected = Unconnected::zero}, location);
  const std::int64_t columns = y[0] == 0 ? 0 : y.numel() / y[0];
  Tensor rows =
      std::move(rows_of({tape, question, target, {&source, 1}, columns, identity_columns}, options)[0]);
  if (rows) {
    // [columns, b, x..] -> [b, columns, x..]
    Ints perm{1, 0};
    for (int d = 2; d < rows.rank(); ++d) perm.push_back(d);
    rows = in_shape(transpose(Arg(rows, location), perm), shape, location);
  }
  question.result(0, rows, [&] { return make_full(shape, 0, source.type().dtype); });
  return rows;
}

}  // namespace tapescope
