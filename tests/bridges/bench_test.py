"""`tapescope bench bridge`: the rows of the Python package's measurement, and one sentence where there are none.

usage: bench_test.py TAPESCOPE PACKAGE_FOLDER [--measure]   --measure: with the TensorFlow of this Python, in place of all else
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

MEASURE = "--measure" in sys.argv
TAPESCOPE, FOLDER = sys.argv[1:3]


def bench(python, path=FOLDER):
    return subprocess.run([TAPESCOPE, "bench", "bridge", "--json", "-"], capture_output=True, text=True,
                          env={**os.environ, "PYTHON": str(python), "PYTHONPATH": os.pathsep.join([str(path), FOLDER])})


@unittest.skipIf(MEASURE, "measured instead")
class Bench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def python_that_prints(self, text):
        script = self.folder / "it's python"
        script.write_text(f"#!/bin/sh\ncat << 'END'\n{text}\nEND\n")
        script.chmod(0o755)
        return script

    def test_a_python_without_tensorflow_gets_one_sentence(self):
        (self.folder / "tensorflow.py").write_text("raise ModuleNotFoundError('none', name='tensorflow')\n")
        (self.folder / "keras.py").write_text("import tensorflow\n")
        done = bench(sys.executable, self.folder)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"^tapescope: .*has no TensorFlow.*\$PYTHON.*\n$")
        self.assertNotEqual(done.returncode, 0)

    def test_a_python_that_cannot_run_the_package_gets_one_sentence(self):
        done = bench("/bin/false")
        self.assertRegex(done.stderr, r"^tapescope: /bin/false cannot run the package tapescope.*\n$")
        self.assertNotEqual(done.returncode, 0)

    def test_rows_of_the_package_are_passed_on(self):
        row = {"name": "bridge.raw_op", "value": 1.5, "low": 1.25, "high": 2.5, "unit": "us", "target": 2.0, "note": "6.0 us bare, 7.5 recorded: budget met"}
        done = bench(self.python_that_prints(json.dumps({"framework": "tensorflow 2", "load": 1.0, "results": [row]})))
        self.assertEqual(done.stderr, "")
        self.assertEqual(json.loads(done.stdout)["results"], [row])


@unittest.skipUnless(MEASURE, "needs TensorFlow")
class Measured(unittest.TestCase):
    @unittest.skipUnless("TAPESCOPE_LONG" in os.environ, "measures for more than a minute")
    def test_each_load_of_the_budget_is_measured(self):
        done = bench(sys.executable)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row["name"]: row for row in json.loads(done.stdout)["results"]}
        self.assertEqual(list(rows), [f"bridge.{name}" for name in ("raw_op", "multiply", "gradient", "cached_call", "keras_fit")])
        for row in rows.values():
            print(f"{row['name']:20} {row['value']:6.1f} {row['unit']}, budget {row['target']:g}: {row['note']}")

    def test_an_op_of_a_tape_enters_no_python(self):
        """A clock says nothing of a busy machine; a hook that moved into Python is seen here, which is what costs."""
        sys.path[:0] = [FOLDER, os.path.dirname(os.path.abspath(__file__))]
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        from python_calls import python_calls
        from tapescope.programs.tensorflow_loads import LOADS
        most = {"raw_op": 2, "multiply": 2, "gradient": 15, "cached_call": 300, "keras_fit": 1500}  # of a repetition
        for name, _, _, load, operations in LOADS:
            with self.subTest(name):
                count = python_calls(load)
                print(f"{name:20} enters Python {count} times in {operations} operations")
                self.assertGreater(count, 0)  # of what is not recorded nothing is entered
                self.assertLessEqual(count, most[name])


if __name__ == "__main__":
    sys.exit(unittest.main(argv=sys.argv[:1]))
