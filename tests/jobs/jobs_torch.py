"""Ranks that torchrun starts, recorded, and what is found between them: jobs_torch.py PACKAGE_FOLDER TAPESCOPE   (with a Python that has PyTorch)."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

FOLDER, TAPESCOPE = map(os.path.abspath, sys.argv[1:3])
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "replicas_torch.py")
STEPS = 8

sys.path.insert(0, FOLDER)
import torch  # noqa: E402
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
            self.assertEqual(rank["waits_in"], "c10d::wait")
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


unittest.main(argv=sys.argv[:1])
