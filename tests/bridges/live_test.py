"""A program under the bridge is stopped, stepped and let go by a viewer; no framework is needed.

usage: live_test.py TAPESCOPE PACKAGE_FOLDER
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TAPESCOPE, FOLDER = sys.argv[1:3]
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import viewer  # noqa: E402
from viewer import Viewer  # noqa: E402

PROGRAM = os.path.join(HERE, "live_program.py")


class Live(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        os.environ["XDG_RUNTIME_DIR"] = self.folder.name
        self.viewers = []

    def tearDown(self):
        for each in self.viewers:
            each.close()
        if hasattr(self, "program"):
            self.program.kill()
            self.program.communicate()
        self.folder.cleanup()

    def start(self, *words, steps=1000000):
        self.report = os.path.join(self.folder.name, "report")
        self.program = subprocess.Popen([sys.executable, "-B", PROGRAM, FOLDER, str(steps), self.report, *words], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        path = os.path.join(self.folder.name, "tapescope", f"{self.program.pid}.sock")
        self.wait(lambda: os.path.exists(path))

    def attach(self):
        """A program that has not yet noticed that its last viewer is gone refuses the next."""
        deadline = time.monotonic() + viewer.PATIENCE
        while True:
            try:
                self.viewers.append(Viewer(self.program.pid))
                return self.viewers[-1]
            except (BrokenPipeError, ConnectionResetError, AssertionError):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)

    def wait(self, there):
        deadline = time.monotonic() + viewer.PATIENCE
        while not there():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def reported(self):
        """How often the program's other thread went round, and how many signals its main thread handled."""
        if not os.path.exists(self.report):
            return [0, 0]
        with open(self.report) as file:
            return [int(word) for word in file.read().split()]

    def moves_on(self, which=0):
        before = self.reported()[which]
        self.wait(lambda: self.reported()[which] > before)

    def stop(self, watcher, *breakpoints):
        """Where the program stands after it met the first of these."""
        watcher.breaks(*breakpoints)
        if watcher.standing["paused"]:
            watcher.run()
        frame = watcher.stopped()
        return frame

    def test_it_is_listed_by_its_name_and_pauses_at_once(self):
        self.start()
        listed = json.loads(subprocess.run([TAPESCOPE, "list", "--live", "--json", "-"], capture_output=True, text=True, check=True).stdout)
        self.assertEqual([(each["pid"], each["name"]) for each in listed["programs"]], [(self.program.pid, "live_program.py")])
        watcher = self.attach()
        frame = watcher.pause()
        self.assertEqual((watcher.standing["reason"], watcher.name), ("pause", "live_program.py"))
        self.assertTrue(frame["op"] and frame["line"].startswith("live_program.py:"), frame)

    def test_each_kind_of_breakpoint_stops_at_its_place_with_the_values(self):
        self.start()
        watcher = self.attach()

        def of_this_step():  # each eleventh has a gradient that is not finite, whose norm is above anything
            return (float("inf") if watcher.standing["step"] % 11 == 10 else 2.0, -3.0)

        self.stop(watcher, (viewer.OP, "Shuffle"))
        frame = self.stop(watcher, (viewer.OP, "Exp"))
        self.assertEqual((frame["op"], frame["backward"], frame["inputs"], frame["outputs"][0][2]),
                         ("Exp", False, [("w", "float32[2]", (1.0, 0.5))], (2.0, -3.0)))
        self.stop(watcher, (viewer.OP, "Sum"))
        frame = self.stop(watcher, (viewer.LINE, frame["line"]))
        self.assertEqual((frame["op"], frame["backward"], frame["cotangents_in"][0][2], frame["cotangents_out"][0][2]),
                         ("Exp", True, (1.0, 1.0), of_this_step()))
        frame = self.stop(watcher, (viewer.NAME, "h"))
        self.assertEqual((frame["op"], frame["inputs"]), ("Sum", [("h", "float32[2]", (2.0, -3.0))]))
        frame = self.stop(watcher, (viewer.BACKWARD,))
        self.assertEqual((watcher.standing["reason"], frame["op"], frame["cursor"]), ("backward", "Sum", 4))

        frame = self.stop(watcher, (viewer.NORM_ABOVE, "", 3.6))
        self.assertEqual((frame["op"], frame["cotangents_out"][0][2]), ("Exp", of_this_step()))
        frame = self.stop(watcher, (viewer.NORM_ABOVE, "", 3.6, "w"))
        self.assertEqual((frame["op"], frame["accumulated"]), ("gradient", [("w", "float32[2]", of_this_step()), ("unused", "None", None)]))
        frame = self.stop(watcher, (viewer.NONFINITE,))
        self.assertEqual((frame["op"], watcher.standing["step"] % 11, frame["cotangents_out"][0][2]), ("Exp", 10, (float("inf"), -3.0)))
        frame = self.stop(watcher, (viewer.NONE, "", 0, "unused"))
        self.assertEqual((watcher.standing["hit"], frame["op"], frame["accumulated"][1]), (viewer.NONE, "gradient", ("unused", "None", None)))
        frame = self.stop(watcher, (viewer.RETRACE,))
        self.assertEqual((watcher.standing["hit"], watcher.standing["step"] % 5, frame["op"]), (viewer.RETRACE, 4, "PartitionedCall"))

    def test_a_breakpoint_counts_its_hits_and_stops_from_the_one_that_it_names(self):
        self.start()
        watcher = self.attach()
        watcher.breaks((viewer.NONE, "", 0, "", "", 4, 7))
        first = watcher.stopped()["cursor"]
        self.assertEqual((watcher.hits, first), ({7: 4}, watcher.standing["cursor"]))
        watcher.breaks((viewer.NONE, "", 0, "w", "", 1, 8))
        watcher.run()
        self.assertFalse(watcher.quiet(0.3)["paused"])

    def test_it_moves_by_ops_back_and_by_training_steps(self):
        self.start()
        watcher = self.attach()

        def of_this_step():  # each eleventh has a gradient that is not finite, whose norm is above anything
            return (float("inf") if watcher.standing["step"] % 11 == 10 else 2.0, -3.0)

        self.stop(watcher, (viewer.OP, "Shuffle"))
        watcher.breaks()
        step = watcher.standing["step"]
        ops = [watcher.go(viewer.STEP)["op"] for _ in range(4)]
        self.assertEqual(ops, ["Exp", "Sum", "Sum", "Exp"])
        self.assertEqual((watcher.standing["cursor"], watcher.standing["step"]), (6, step))
        # Beside the nodes: only the step into one stops there.
        self.assertEqual([watcher.go(viewer.INTO)["op"], watcher.go(viewer.INTO)["op"]], ["gradient", "Scale"])
        self.assertEqual(watcher.go(viewer.STEP, -2)["op"], "Sum")
        frame = watcher.go(viewer.TRAINING, 2)
        self.assertEqual((watcher.standing["step"], frame["op"], watcher.standing["count"], watcher.standing["forward"]), (step + 2, "Sum", 6, 4))
        watcher.go(viewer.SEEK, 1000)
        self.assertEqual((watcher.standing["at_end"], watcher.standing["step"]), (True, step + 2))

    def test_while_it_stands_other_threads_run_and_signals_are_handled(self):
        self.start()
        watcher = self.attach()
        watcher.pause()
        self.moves_on()
        self.program.send_signal(signal.SIGUSR1)
        self.moves_on(1)
        self.assertTrue(watcher.quiet(0.2)["paused"])
        self.program.send_signal(signal.SIGINT)
        out, err = self.program.communicate(timeout=viewer.PATIENCE)
        self.assertEqual(self.program.returncode, -signal.SIGINT)
        self.assertIn("KeyboardInterrupt", err)

    def test_a_viewer_that_dies_leaves_it_running_and_the_next_one_attaches(self):
        self.start()
        for _ in range(2):
            watcher = self.attach()
            frame = self.stop(watcher, (viewer.OP, "Shuffle"))
            self.assertEqual(frame["op"], "Shuffle")
            watcher.close()
        watcher = self.attach()
        before = watcher.pause() and watcher.standing["step"]
        watcher.run()
        watcher.quiet(0.2)
        watcher.pause()
        self.assertGreater(watcher.standing["step"], before)

    def test_one_that_waits_stands_before_its_first_op_until_it_is_let_go(self):
        self.start("wait")
        self.assertFalse(os.path.exists(self.report))
        watcher = self.attach()
        watcher.stopped()
        self.assertEqual((watcher.standing["cursor"], watcher.standing["step"], watcher.standing["frame"]["op"]), (0, 0, ""))
        self.assertFalse(os.path.exists(self.report))
        frame = watcher.go(viewer.STEP)
        self.assertEqual((watcher.standing["cursor"], watcher.standing["step"], frame["op"]), (1, 0, "Shuffle"))
        self.moves_on()

    def test_one_that_waits_ends_by_ctrl_c_and_runs_when_its_viewer_dies(self):
        self.start("wait")
        self.program.send_signal(signal.SIGINT)
        self.program.communicate(timeout=viewer.PATIENCE)
        self.assertEqual(self.program.returncode, -signal.SIGINT)
        self.start("wait", steps=3)
        watcher = self.attach()
        watcher.stopped()
        watcher.close()
        out, err = self.program.communicate(timeout=viewer.PATIENCE)
        self.assertEqual((self.program.returncode, err), (0, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
