"""Ranks that torchrun starts, recorded, and what is found between them: jobs_torch.py PACKAGE_FOLDER TAPESCOPE   (with a Python that has PyTorch)."""
import json
import os
import subprocess
import sys
import signal
import tempfile
import textwrap
import time
import unittest

FOLDER, TAPESCOPE = map(os.path.abspath, sys.argv[1:3])
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "replicas_torch.py")
STEPS = 8

sys.path[:0] = [FOLDER, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bridges")]
import torch  # noqa: E402
import viewer  # noqa: E402
from tapescope.torch import replicas  # noqa: E402


class Jobs(unittest.TestCase):
    def recordings(self, *arguments, options=()):
        """Those of two ranks of the program."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        environment = {**os.environ, "PYTHONPATH": FOLDER, "TAPESCOPE": TAPESCOPE, "OMP_NUM_THREADS": "1"}
        launcher = [sys.executable, "-B", "-m", "torch.distributed.run", "--nproc-per-node", "2", "--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0"]
        done = subprocess.run([*launcher, "-m", "tapescope", *options, "--record", "rank-%r.tape", PROGRAM, *arguments], cwd=folder.name, env=environment,
                              capture_output=True, encoding="utf-8", errors="replace", timeout=240)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(sorted(os.listdir(folder.name)), ["rank-0.tape", "rank-1.tape"])
        return [os.path.join(folder.name, f"rank-{rank}.tape") for rank in range(2)]

    def ask(self, command, tapes, *options, code=0):
        done = subprocess.run([TAPESCOPE, command, *tapes, *options, "--json", "-"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def fired(self, tapes, kinds):
        return [(row["kind"], row["subject"], row["ranks"]) for row in self.ask("check", tapes, "--fail-on", kinds, code=1)["fired"]]

    def test_ranks_have_the_same_steps_though_one_reads_the_loss_alone(self):
        tapes = self.recordings("ddp")
        self.assertEqual(self.ask("check", tapes, "--fail-on", "diverged")["verdict"], "nothing_found")
        job = self.ask("report", tapes)["job"]
        self.assertEqual((job["size"], job["compared_steps"], [rank["steps"] for rank in job["ranks"]]), (2, STEPS, [STEPS, STEPS]))
        for rank in job["ranks"]:
            self.assertIn(rank["waits_in"], ("c10d::wait", "c10d::allreduce_"))  # whichever took longer
            self.assertGreater(rank["exchange_us"], 0)
        ops = {row["op"]: row for row in self.ask("report", tapes[:1], "--panel", "ops")["ops"]}
        self.assertEqual(ops["c10d::allreduce_"]["count"], 1)  # a bucket holds all gradients

    def test_a_rank_with_an_update_of_its_own_is_found_at_its_first_step_and_source(self):
        for how, options, prefix in (("ddp", (), "called.module."), ("own", (), "model."), ("ddp", ("--why",), "called.module.")):
            with self.subTest(how, options=options):
                tapes = self.recordings(how, "parts", options=options)
                self.assertEqual(self.fired(tapes, "diverged"), [("diverged", prefix + "2.weight", [1])])
                self.assertIn("from step 4 on", self.ask("explain", tapes)["job"]["findings"][0]["message"])

    def test_replicas_that_begin_with_other_values_are_found(self):
        tapes = self.recordings("own", "seed")
        self.assertEqual(self.fired(tapes, "diverged"), [("diverged", "model.0.weight", [1])])
        self.assertIn("from step 1 on", self.ask("report", tapes)["job"]["findings"][0]["message"])

    def test_ranks_that_exchange_nothing_are_no_replicas(self):
        self.assertEqual(self.ask("check", self.recordings("alone"), "--fail-on", "diverged")["fired"], [])

    def test_a_rank_that_others_wait_for_is_found(self):
        for how in ("ddp", "views", "own"):
            with self.subTest(how):
                self.assertEqual(self.fired(self.recordings(how, "slow"), "straggler"), [("straggler", "rank 1", [1])])

    def test_sums_of_other_devices_tell_values_and_places_apart(self):
        a = torch.arange(6.0).view(2, 3)
        found = {int(replicas.sum_of(each)) for each in (a, a.flip(1), a.view(6)[:5], a.bfloat16(), -a, torch.complex(a, a), a > 2, a.double())}
        self.assertEqual(len(found), 8)
        self.assertEqual(int(replicas.sum_of(a.T)), int(replicas.sum_of(a.T.contiguous())))


TIME_OUT = 2  # seconds, of the exchanges of ENDLESS
ENDLESS = textwrap.dedent(f"""\
    import datetime
    import torch
    import torch.distributed
    from torch.nn.parallel import DistributedDataParallel

    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", timeout=datetime.timedelta(seconds={TIME_OUT}))
    model = DistributedDataParallel(torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.ones(8, 4)
    while True:
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
    """)


class Stopped(unittest.TestCase):
    """Two ranks that run, each with a viewer."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        path = os.path.join(self.folder.name, "train.py")
        with open(path, "w") as file:
            file.write(ENDLESS)
        os.environ["XDG_RUNTIME_DIR"] = self.folder.name
        environment = {**os.environ, "PYTHONPATH": FOLDER, "TAPESCOPE": TAPESCOPE, "OMP_NUM_THREADS": "1"}
        launcher = [sys.executable, "-B", "-m", "torch.distributed.run", "--nproc-per-node", "2", "--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0"]
        self.said = open(os.path.join(self.folder.name, "said"), "w+", encoding="utf-8", errors="replace")
        self.job = subprocess.Popen([*launcher, "-m", "tapescope", "--listen", path], env=environment, stdout=self.said, stderr=subprocess.STDOUT, start_new_session=True)
        self.addCleanup(self.end)
        deadline = time.monotonic() + viewer.PATIENCE
        while len(self.listed()) < 2:
            self.assertTrue(time.monotonic() < deadline and self.job.poll() is None)
            time.sleep(0.1)
        self.ranks = [viewer.Viewer(each["pid"]) for each in sorted(self.listed(), key=lambda each: each["rank"])]

    def listed(self):
        return json.loads(subprocess.run([TAPESCOPE, "list", "--live", "--json", "-"], capture_output=True, text=True, check=True).stdout)["programs"]

    def printed(self):
        self.said.seek(0)
        return self.said.read()

    def end(self):
        for rank in getattr(self, "ranks", ()):
            rank.close()
        os.killpg(self.job.pid, signal.SIGTERM)
        self.job.wait()
        self.said.close()

    def hear(self):
        for rank in self.ranks:
            rank.quiet(0.05)
            self.assertFalse(rank.gone, self.printed())
            rank._send(5)  # alive

    def go_on(self, least):
        """Until so many bytes of records came of both: more than a step leaves."""
        goals = [rank.tape + least for rank in self.ranks]
        deadline = time.monotonic() + viewer.PATIENCE
        while any(rank.tape < goal for rank, goal in zip(self.ranks, goals)):
            self.assertLess(time.monotonic(), deadline)
            self.hear()

    def test_a_rank_that_stands_lets_no_exchange_time_out(self):
        self.go_on(6_000)
        self.ranks[0].pause()
        deadline = time.monotonic() + 3 * TIME_OUT
        while time.monotonic() < deadline:
            self.hear()
        self.assertIsNone(self.job.poll(), self.printed())
        self.ranks[0].run()
        self.go_on(6_000)


unittest.main(argv=sys.argv[:1] + sys.argv[3:])
