"""Workers of tf.distribute, recorded, and what is found between them: jobs_tensorflow.py PACKAGE_FOLDER TAPESCOPE   (with a Python that has TensorFlow)."""
import json
import os
import socket
import subprocess
import sys
import signal
import tempfile
import time
import unittest

FOLDER, TAPESCOPE = map(os.path.abspath, sys.argv[1:3])
HELD = 3  # seconds without a record, in which a step of two workers would have left some
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "replicas_tensorflow.py")

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bridges"))
import viewer  # noqa: E402


def free_ports(count):
    taken = [socket.create_server(("localhost", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in taken]
    for each in taken:
        each.close()
    return ports


def started(folder, *words):
    """Two workers of `python -m tapescope WORDS`, by rank."""
    addresses = [f"localhost:{port}" for port in free_ports(2)]
    workers = []
    for index in range(2):
        config = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
        environment = {**os.environ, "TF_CONFIG": json.dumps(config), "PYTHONPATH": FOLDER, "TAPESCOPE": TAPESCOPE, "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "0"}
        workers.append(subprocess.Popen([sys.executable, "-B", "-m", "tapescope", *words], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
    return workers


class Jobs(unittest.TestCase):
    def recordings(self, *arguments):
        """Those of two workers of the program, by rank."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        workers = started(folder.name, "--record", "worker-%r.tape", PROGRAM, *arguments)
        for worker in workers:
            said = worker.communicate(timeout=240)[0]
            self.assertEqual(worker.returncode, 0, said)
            self.assertNotIn("profiler", said)  # which times exchanges, unseen
        self.assertEqual(sorted(os.listdir(folder.name)), ["worker-0.tape", "worker-1.tape"])
        return [os.path.join(folder.name, f"worker-{rank}.tape") for rank in range(2)]

    def ask(self, command, tapes, *options, code=0):
        done = subprocess.run([TAPESCOPE, command, *tapes, *options, "--json", "-"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_workers_that_agree_have_the_same_steps_and_nothing_is_found(self):
        tapes = self.recordings("function")
        self.assertEqual(self.ask("check", tapes, "--fail-on", "diverged,none")["fired"], [])
        job = self.ask("report", tapes)["job"]
        self.assertEqual((job["size"], job["compared_steps"], [rank["steps"] for rank in job["ranks"]]), (2, 40, [40, 40]))
        self.assertIn(job["timed_steps"], range(6, 11))  # calls 5, 6, 7, 10, 12, 14, 20, 24, 28 and 40, but for those that TensorFlow wrote too late

    def test_a_worker_that_holds_another_value_is_found(self):
        for how in ("function", "eager"):
            with self.subTest(how):
                tapes = self.recordings(how, "parts")
                found = self.ask("check", tapes, "--fail-on", "diverged", code=1)["fired"]
                self.assertEqual([(row["kind"], row["subject"], row["ranks"]) for row in found], [("diverged", "w", [1])])
                self.assertIn("from step 6 on", found[0]["message"])
                self.assertEqual(self.ask("report", tapes)["job"]["compared_steps"], 40)

    def test_a_worker_that_the_other_waits_for_is_found(self):
        for how, fault in (("eager", "slow"), ("function", "slow"), ("function", "heavy")):
            with self.subTest(how, fault=fault):
                tapes = self.recordings(how, fault)
                found = self.ask("check", tapes, "--fail-on", "straggler", code=1)["fired"]
                self.assertEqual([(row["kind"], row["subject"], row["ranks"]) for row in found], [("straggler", "rank 1", [1])])
                self.assertIn("CollectiveReduceV2", found[0]["message"])
                if how == "function":
                    self.assertIn("replicas_tensorflow.py", found[0]["location"])
                self.assertEqual("are in PartitionedCall" in found[0]["message"], fault == "heavy", found[0]["message"])


class Stopped(unittest.TestCase):
    """Two workers that run, each with a viewer."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.environ["XDG_RUNTIME_DIR"] = folder.name
        self.workers = started(folder.name, "--listen", PROGRAM, "function", "endless")
        self.ranks = []
        self.addCleanup(self.end)
        deadline = time.monotonic() + 2 * viewer.PATIENCE
        while len(self.listed()) < 2:
            self.assertTrue(time.monotonic() < deadline and all(worker.poll() is None for worker in self.workers))
            time.sleep(0.1)
        self.ranks = [viewer.Viewer(each["pid"]) for each in sorted(self.listed(), key=lambda each: each["rank"])]

    def end(self):
        for rank in self.ranks:
            rank.close()
        for worker in self.workers:
            worker.send_signal(signal.SIGKILL)  # the others' end is a failed exchange, which the first reports at length
            worker.communicate()

    def listed(self):
        return json.loads(subprocess.run([TAPESCOPE, "list", "--live", "--json", "-"], capture_output=True, text=True, check=True).stdout)["programs"]

    def hear(self):
        for rank in self.ranks:
            rank.quiet(0.05)
            self.assertFalse(rank.gone)
            rank._send(5)  # alive

    def go_on(self, least):
        """Until so many bytes of records came of both: more than a step leaves."""
        goals = [rank.tape + least for rank in self.ranks]
        deadline = time.monotonic() + viewer.PATIENCE
        while any(rank.tape < goal for rank, goal in zip(self.ranks, goals)):
            self.assertLess(time.monotonic(), deadline)
            self.hear()

    def test_a_worker_that_stands_keeps_the_other_in_its_exchange_and_both_go_on(self):
        for paused in range(2):
            self.go_on(4_000)
            self.ranks[paused].pause()
            self.stand_still()
            self.ranks[paused].run()
        self.go_on(4_000)

    def stand_still(self):
        """Until nothing comes of either for a while: one is paused, the other waits for it."""
        still, deadline = 0, time.monotonic() + viewer.PATIENCE
        while still < HELD:
            self.assertLess(time.monotonic(), deadline + HELD)
            before, begin = [rank.tape for rank in self.ranks], time.monotonic()
            self.hear()
            still = still + time.monotonic() - begin if before == [rank.tape for rank in self.ranks] else 0
        self.assertTrue(all(worker.poll() is None for worker in self.workers))


unittest.main(argv=sys.argv[:1] + sys.argv[3:])
