"""What a call of a graph waits in exchanges, by traces of TensorFlow's profiler: waits_test.py PACKAGE_FOLDER TAPESCOPE (no framework needed)

Traces are written here as tensorflow.profiler.Trace, with the events that a graph's executor leaves.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

FOLDER, TAPESCOPE = sys.argv[1:3]
sys.path.insert(0, FOLDER)

from tapescope import _tapescope as module  # noqa: E402

US = 1_000_000  # picoseconds
RUNS, STARTS, DONE = "ExecutorState::Process", "ExecutorState::ProcessAsync::Start", "ExecutorState::ProcessAsync::Done"


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def event(name, begin, duration=0, /, **arguments):
    entries = b"".join(field(11, field(1, key) + field(2, text)) for key, text in arguments.items())
    return field(4, field(1, 7) + field(2, 8) + field(3, name) + field(9, begin * US) + field(10, duration * US) + entries)


def exchange(node, begin, end, graph="1", done=True, kind="CollectiveReduceV2"):
    """From begin to end; `done` is the event that comes last, and may be missing."""
    events = event(STARTS, begin, 5, step_id=graph, name=node, kernel_type=kind)
    events += event("CollectiveExecutor::RunClosure", begin + 1, 3, name=node)
    events += event(kind, begin + 2, end - begin - 2, step_id=graph, long_name=f"{node}:{kind}")
    return events + (event(DONE, end, 2, step_id=graph, name=node, kernel_type=kind) if done else b"")


def runs(begin, end, graph="1"):
    return event(RUNS, begin, end - begin, id=graph, iter_num="0")


class Waits(unittest.TestCase):
    def waits(self, *traces):
        """Of a step for each trace: what the recording says that it waited, in microseconds, and in what; None where it is not known."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, f"{rank}.tape") for rank in range(2)]
            for rank, path in enumerate(paths):
                module.fact("rank", str(rank))
                self.assertIsNone(module.record(path))
                self.known = []
                for step, trace in enumerate((b"", *traces)):  # the first step is left out of medians
                    module.training_step_begin(step)
                    self.known.append(module.graph_wait(trace if step else None, module.site_of("train.py", "fit", 12, 0, 0)))
                    module.training_step_end(step, False)
                module.finish("finished")
            run = subprocess.run([TAPESCOPE, "report", *paths, "--json", "-"], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            job = json.loads(run.stdout)["job"]
            self.assertEqual(job["compared_steps"], len(traces) + 1)
            self.assertEqual(job["timed_steps"], sum(self.known))
            row = job["ranks"][0]
            return row["exchange_us"], row["waits_in"], row["waits_at"]

    def assertWaits(self, trace, microseconds, op="CollectiveReduceV2"):
        waited, found, where = self.waits(trace)
        self.assertAlmostEqual(waited, microseconds, delta=0.01 + 0.001 * microseconds)
        self.assertEqual((found, where), (op, "train.py:12"))

    def test_an_exchange_is_waited_for_while_no_op_of_its_graph_runs(self):
        self.assertWaits(exchange("sum", 100, 900), 800)
        self.assertWaits(runs(0, 300) + exchange("sum", 100, 900) + runs(900, 950), 600)
        self.assertWaits(exchange("sum", 100, 900) + runs(200, 300) + runs(250, 400) + runs(850, 1000), 800 - 200 - 50)
        self.assertWaits(exchange("sum", 100, 900) + runs(200, 300, graph="2"), 800)  # of a data set's function

    def test_exchanges_that_overlap_count_once(self):
        self.assertWaits(exchange("a", 100, 500) + exchange("b", 300, 900, kind="CollectiveGatherV2") + runs(400, 600), 600, "CollectiveGatherV2")

    def test_rounds_of_a_loop_are_exchanges_each(self):
        self.assertWaits(exchange("a", 100, 200) + exchange("a", 500, 800), 400)

    def test_the_last_moments_may_come_after_the_end_of_the_trace(self):
        self.assertWaits(exchange("a", 100, 200) + exchange("a", 500, 800, done=False), 400)
        start = event(STARTS, 100, 5, step_id="1", name="sum", kernel_type="CollectiveReduceV2")
        self.assertWaits(start + runs(0, 90) + runs(700, 750) + event("KernelAndDeviceFunc::Run", 0, 800), 650)

    def test_what_shows_no_exchange_is_not_known(self):
        unknown = (b"", runs(0, 300), event(DONE, 1, 5, step_id="1", name="sum", kernel_type="CollectiveReduceV2"), exchange("sum", 100, 900)[:-4], b"no trace", bytes(64), b"\xff" * 64)
        self.assertEqual(self.waits(*unknown), (None, "", ""))
        self.assertEqual(self.known, [False] * 8)
        self.assertEqual(self.waits(exchange("sum", 0, 70), *unknown)[1:], ("CollectiveReduceV2", "train.py:12"))

    def test_a_trace_that_is_cut_anywhere_is_read_to_the_cut(self):
        whole = runs(0, 300) + exchange("sum", 100, 900)
        for size in range(len(whole)):
            module.graph_wait(whole[:size], 0)


unittest.main(argv=sys.argv[:1] + sys.argv[3:])
