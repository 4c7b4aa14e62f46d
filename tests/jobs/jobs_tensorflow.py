"""Workers of tf.distribute, recorded, and what is found between them: jobs_tensorflow.py PACKAGE_FOLDER TAPESCOPE   (with a Python that has TensorFlow)."""
import json
import os
import socket
import subprocess
import sys
import tempfile
import unittest

FOLDER, TAPESCOPE = map(os.path.abspath, sys.argv[1:3])
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "replicas_tensorflow.py")


def free_ports(count):
    taken = [socket.create_server(("localhost", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in taken]
    for each in taken:
        each.close()
    return ports


class Jobs(unittest.TestCase):
    def recordings(self, *arguments):
        """Those of two workers of the program, by rank."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        addresses = [f"localhost:{port}" for port in free_ports(2)]
        workers = []
        for index in range(2):
            config = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
            environment = {**os.environ, "TF_CONFIG": json.dumps(config), "PYTHONPATH": FOLDER, "TAPESCOPE": TAPESCOPE, "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "0"}
            command = [sys.executable, "-B", "-m", "tapescope", "--record", "worker-%r.tape", PROGRAM, *arguments]
            workers.append(subprocess.Popen(command, cwd=folder.name, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
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
        self.assertEqual((job["size"], job["compared_steps"], [rank["steps"] for rank in job["ranks"]]), (2, 16, [16, 16]))
        self.assertEqual(job["timed_steps"], 6)  # calls 5, 6, 7, 10, 12 and 14

    def test_a_worker_that_holds_another_value_is_found(self):
        for how in ("function", "eager"):
            with self.subTest(how):
                tapes = self.recordings(how, "parts")
                found = self.ask("check", tapes, "--fail-on", "diverged", code=1)["fired"]
                self.assertEqual([(row["kind"], row["subject"], row["ranks"]) for row in found], [("diverged", "w", [1])])
                self.assertIn("from step 6 on", found[0]["message"])
                self.assertEqual(self.ask("report", tapes)["job"]["compared_steps"], 16)

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


unittest.main(argv=sys.argv[:1])
