"""Writes what was found into the recording."""
import math
import time

from tapescope import _tapescope as module

ANSWER, ALERT, ADVICE, RETRACE = range(4)  # FindingKind


def site_of(place):
    """The number of a place of the user's code; 0 for none."""
    if not place:
        return 0
    return module.site_of(place[0], place[2], place[1], 0, 0)


class Writer:
    def row(self, row):
        place = row.lines[0] if row.lines else None
        module.finding(ANSWER, row.written, row.reason, row.op, site_of(place), row.message, row.fix, row.status, row.target)
        if row.norm is not None and not math.isnan(row.norm):
            module.finding_figures(float(row.norm), row.nonfinite, 0)
        elif row.status == "nonfinite":
            module.finding_figures(math.nan, max(1, row.nonfinite), 0)
        for op in row.path[:64]:
            module.finding_step(op.name, op.name, site_of(op.lines[0] if op.lines else None))

    def withdraw(self, name):
        module.finding(ANSWER, name, "", "", 0, "", "", "withdrawn", "")

    def alert(self, alert, place):
        module.finding(ALERT, alert["subject"], alert["kind"], alert["op"], site_of(place), alert["message"], alert["fix"],
                       f"{alert['direction']} {alert['value']}".strip(), "")

    def advice(self, advice, place):
        module.finding(ADVICE, advice["subject"], advice["kind"], "", site_of(place), advice["evidence"], advice["fix"], "", "")

    def traced(self, entry, retrace, place, microseconds):
        """A function was compiled, which took so long."""
        if retrace is None:
            module.finding(RETRACE, entry["name"], "", "", site_of(place), "", "", "", "")
        else:
            module.finding(RETRACE, entry["name"], retrace["kind"], "", site_of(place), retrace["to"], retrace["fix"], retrace["argument"], retrace["from"])
        module.finding_figures(float(microseconds), entry["calls"], entry["traces"])

    def called(self, name, calls, traces):
        """A function that was compiled was called so often by now."""
        module.finding(RETRACE, name, "", "", 0, "", "", "", "")
        module.finding_figures(0.0, calls, traces)


class CallCounts:
    """Writes how often compiled functions were called, a few times a second and at the end."""
    PAUSE = 0.25  # seconds: a record for each call would be much of a recording

    def __init__(self, writer):
        self.writer, self.written, self.at = writer, {}, 0.0

    def write(self, functions, at_once=False):
        """`functions`: (name, calls, traces) of each that was compiled."""
        now = time.monotonic()
        if now - self.at < self.PAUSE and not at_once:
            return
        self.at = now
        for name, calls, traces in functions:
            if calls > self.written.get(name, 0):
                self.written[name] = calls
                self.writer.called(name, calls, traces)
