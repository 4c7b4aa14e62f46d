// The run as a SQLite database: made in memory, handed out as bytes.
#include <sqlite3.h>

#include <cmath>

#include <fmt/format.h>

#include "viewer/export/files.h"

namespace tapescope {
namespace {

constexpr const char* kSchema = R"(
CREATE TABLE about(name TEXT PRIMARY KEY, what TEXT);
INSERT INTO about VALUES
 ('run','one row: the program and how it was run'),
 ('steps','one row a training step; times in microseconds since the first event'),
 ('metrics','the loss and every other metric of the program, by step'),
 ('ops','ops of the last complete step in order; direction is forward, backward or update'),
 ('op_inputs','tensors an op read: producer is the op that made it, null for one from outside of the step'),
 ('gradients','what each gradient call of the last asking step answered; reason where it is none or zero'),
 ('alerts','what is wrong, most important first'),
 ('op_kinds','one row an op type; times a step, medians');
CREATE TABLE run(sample TEXT, variant TEXT, seed INTEGER, steps INTEGER, threads INTEGER,
 lost_events INTEGER);
CREATE TABLE steps(step INTEGER PRIMARY KEY, begin_us REAL, step_us REAL,
 forward_us REAL, backward_us REAL, update_us REAL);
CREATE TABLE metrics(name TEXT, step INTEGER, value REAL);
CREATE TABLE ops(op INTEGER PRIMARY KEY, type TEXT, name TEXT, scope TEXT, location TEXT, direction TEXT,
 thread INTEGER, start_us REAL, duration_us REAL, recorded INTEGER, shapes TEXT, flops REAL,
 forward_op INTEGER REFERENCES ops(op));
CREATE TABLE op_inputs(op INTEGER REFERENCES ops(op), slot INTEGER, tensor INTEGER,
 producer INTEGER REFERENCES ops(op));
CREATE TABLE gradients(source TEXT, target TEXT, status TEXT, reason TEXT, message TEXT, location TEXT,
 fix TEXT, norm REAL, nonfinite INTEGER);
CREATE TABLE alerts(kind TEXT, subject TEXT, op TEXT, message TEXT, location TEXT, fix TEXT, step INTEGER);
CREATE TABLE op_kinds(type TEXT PRIMARY KEY, count INTEGER, forward_us REAL, backward_us REAL, flops REAL,
 bytes REAL);
)";

class Database {
 public:
  Database() {
    if (sqlite3_open(":memory:", &handle_) != SQLITE_OK) wrong();
    run(kSchema);
    run("BEGIN");
  }
  ~Database() { sqlite3_close(handle_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const char* sql) {
    if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) wrong();
  }
  std::string bytes() {
    run("COMMIT");
    sqlite3_int64 size = 0;
    unsigned char* data = sqlite3_serialize(handle_, "main", &size, 0);
    if (!data) wrong();
    const std::string copy(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
    sqlite3_free(data);
    return copy;
  }
  [[noreturn]] void wrong() const {
    throw Error(ErrorKind::internal,
                fmt::format("SQLite says: {}", handle_ ? sqlite3_errmsg(handle_) : "no memory"));
  }
  sqlite3* handle() const { return handle_; }

 private:
  sqlite3* handle_ = nullptr;
};

// Rows of one table.
class Rows {
 public:
  Rows(Database& database, std::string_view table, int columns) : database_(database) {
    std::string sql = fmt::format("INSERT INTO {} VALUES(?", table);
    for (int i = 1; i < columns; ++i) sql += ",?";
    if (sqlite3_prepare_v2(database.handle(), (sql + ")").c_str(), -1, &statement_, nullptr) != SQLITE_OK)
      database.wrong();
  }
  ~Rows() { sqlite3_finalize(statement_); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  template <class... Values>
  void add(const Values&... values) {
    int at = 0;
    (bind(++at, values), ...);
    if (sqlite3_step(statement_) != SQLITE_DONE) database_.wrong();
    sqlite3_reset(statement_);
  }

 private:
  void bind(int at, std::string_view text) {
    sqlite3_bind_text(statement_, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  }
  void bind(int at, double value) {
    // SQLite keeps no NaN: what was not measured is NULL there.
    if (std::isnan(value)) sqlite3_bind_null(statement_, at);
    else sqlite3_bind_double(statement_, at, value);
  }
  template <class Integer>
  requires std::is_integral_v<Integer>
  void bind(int at, Integer value) { sqlite3_bind_int64(statement_, at, static_cast<sqlite3_int64>(value)); }
  void bind(int at, std::optional<std::uint32_t> value) {
    if (value) sqlite3_bind_int64(statement_, at, *value);
    else sqlite3_bind_null(statement_, at);
  }

  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

std::optional<std::uint32_t> op_or_null(std::uint32_t op) {
  return op == kNoOp ? std::optional<std::uint32_t>() : op;
}

void add_ops(Database& database, const StepView& view) {
  Rows ops(database, "ops", 13), inputs(database, "op_inputs", 4);
  for (std::uint32_t i = 0; i < view.ops.size(); ++i) {
    const OpRow& row = view.ops[i];
    ops.add(i, row.op, row.name, row.scope, row.location, name_of(row.direction), row.thread, row.start_us,
            row.duration_us, row.recorded, row.types, row.flops, op_or_null(row.partner));
    for (std::uint32_t k = 0; k < row.inputs; ++k) {
      inputs.add(i, k, view.inputs[row.first_input + k], op_or_null(view.producers[row.first_input + k]));
    }
  }
}

}  // namespace

std::string sqlite_database(const HeadlessRun& run) {
  const RunReport report = report_of(run, 0);
  const Snapshot& snapshot = *run.snapshots[0];
  Database database;
  Rows(database, "run", 6)
      .add(report.sample, report.variant, report.seed, report.steps, report.threads, report.lost_events);
  {
    Rows steps(database, "steps", 6);
    for (std::size_t i = 0; i < snapshot.steps.size(); ++i) {
      const StepSummary& step = snapshot.steps[i];
      steps.add(step.step, step.begin_us, step.step_us, step.forward_us, step.backward_us, step.update_us);
    }
    Rows metrics(database, "metrics", 3);
    for (const MetricSeries& metric : snapshot.metrics) {
      for (std::size_t i = 0; i < metric.points.size(); ++i) {
        metrics.add(metric.name, metric.points[i].step, metric.points[i].value);
      }
    }
    Rows gradients(database, "gradients", 9);
    for (const GradientRow& row : report.gradients) {
      gradients.add(row.source, row.target, name_of(row.status), row.reason, row.message, row.location,
                    row.fix, row.has_stats ? row.norm : NAN, row.nonfinite);
    }
    Rows alerts(database, "alerts", 7);
    for (const AlertRow& row : report.alerts) {
      alerts.add(row.kind, row.subject, row.op, row.message, row.location, row.fix, row.step);
    }
    Rows kinds(database, "op_kinds", 6);
    for (const OpKindRow& row : report.ops) {
      kinds.add(row.op, row.count, row.forward_us, row.backward_us, row.flops, row.bytes);
    }
  }
  if (snapshot.complete) add_ops(database, *snapshot.complete);
  return database.bytes();
}

}  // namespace tapescope
