"""What a PyTorch program made before it was recorded.

usage: earlier_torch.py PACKAGE_FOLDER TAPESCOPE   (with a Python that has PyTorch)
"""
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

FOLDER, TAPESCOPE = sys.argv[1:3]
os.environ["TAPESCOPE"] = TAPESCOPE
sys.path.insert(0, FOLDER)

import torch  # noqa: E402
import tapescope  # noqa: E402


class Earlier(unittest.TestCase):
    def test_tensors_from_before_the_recording_have_their_shape(self):
        weight, data = torch.ones(3, 2, requires_grad=True), torch.ones(5, 3)
        with tempfile.TemporaryDirectory() as folder:
            tape, database = pathlib.Path(folder, "a.tape"), pathlib.Path(folder, "a.db")
            with tapescope.record(str(tape), why=False):
                for _ in range(2):
                    (data @ weight).sum().backward()
            subprocess.run([TAPESCOPE, "export", str(tape), "--format", "sqlite", "-o", str(database)], capture_output=True, timeout=120, check=True)
            with sqlite3.connect(database) as tables:
                shapes = tables.execute("select shapes from ops where type = 'matmul' and direction = 'forward'").fetchall()
        self.assertEqual(set(shapes), {("5×3 · 3×2",)})

    def test_a_parameter_from_before_the_recording_is_not_said_to_be_made_where_it_is_read(self):
        earlier, used = torch.nn.Parameter(torch.ones(3)), torch.nn.Parameter(torch.ones(3))
        with tapescope.record(why=True) as recording:
            made = torch.nn.Parameter(torch.ones(2))
            used.sum().backward()
            self.assertEqual((earlier.grad, made.grad), (None, None))
        said = {row["source"]: row["message"] for row in recording.document()["gradients"]}
        self.assertIn("earlier, which was there before the recording", said["earlier"])
        self.assertIn("made, made at ", said["made"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
