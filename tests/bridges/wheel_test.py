"""The wheel as users get it: built from the sdist, installed in a clean virtual environment, asked what a recorded program did.

usage: wheel_test.py SOURCE TAPESCOPE   ($TAPESCOPE_TENSORFLOW_PYTHON: a Python that has TensorFlow, which gets the same wheel)
Ends with 77 where scikit-build-core cannot be installed, which ctest counts as skipped.
"""
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
import venv
import zipfile

SOURCE, TAPESCOPE = sys.argv[1:3]
WITH_TENSORFLOW = os.environ.get("TAPESCOPE_TENSORFLOW_PYTHON") or os.path.join(SOURCE, "build", "tensorflow", "bin", "python")

PLAIN = """import tapescope
for loss in (0.5, 0.25):
    tapescope.step()
    tapescope.scalar("loss", loss)
print("from", tapescope.__file__)
print("version", tapescope.__version__)
"""
BROKEN = """import tensorflow as tf
x = tf.constant(2.0)
with tf.GradientTape() as tape:
    y = x * x
print(tape.gradient(y, x))
"""


def run(*words, **keywords):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **keywords)
    if done.returncode != 0:
        raise AssertionError(f"{words}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.stdout


def environment(**changed):
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "DISPLAY", "WAYLAND_DISPLAY")}
    return {**kept, "TAPESCOPE": TAPESCOPE, **changed}


def made(folder):
    """The sdist, and the wheel that is built from it: without the application, which takes many times as long."""
    tools = folder / "tools"
    venv.create(tools, with_pip=True)
    python = tools / "bin" / "python"
    installed = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "scikit-build-core>=0.10"], check=False)
    if installed.returncode != 0:
        print("skipped: scikit-build-core cannot be installed")
        sys.exit(77)
    run(python, "-c", f"from scikit_build_core.build import build_sdist; build_sdist({str(folder)!r})", cwd=SOURCE)
    sdist, = folder.glob("*.tar.gz")
    run(python, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-build-isolation", "--no-deps", "-w", folder,
        "--config-settings=cmake.define.TAPESCOPE_VIEWER=OFF", sdist)
    wheel, = folder.glob("*.whl")
    return sdist, wheel


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.sdist, cls.wheel = made(cls.folder)
        clean = cls.folder / "clean"
        venv.create(clean, with_pip=True)
        cls.python = clean / "bin" / "python"
        run(cls.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", cls.wheel)
        cls.site = run(cls.python, "-c", "import sysconfig; print(sysconfig.get_paths()['platlib'])").strip()

    def program(self, text):
        path = self.folder / "program.py"
        path.write_text(text)
        return path

    def test_one_wheel_serves_each_python_from_3_11_on(self):
        self.assertRegex(self.wheel.name, r"^tapescope-[0-9.]+-cp311-abi3-\w+\.whl$")
        held = set(zipfile.ZipFile(self.wheel).namelist())
        own = pathlib.Path(SOURCE, "bridges", "python", "tapescope")
        self.assertLessEqual({f"tapescope/{path.relative_to(own)}" for path in own.rglob("*.py")} | {"tapescope/_tapescope.abi3.so"}, held)
        self.assertEqual({name.split("/")[0].split("-")[0] for name in held}, {"tapescope"})

    def test_the_wheel_needs_no_library_that_other_systems_may_lack(self):
        said = run("readelf", "-d", pathlib.Path(self.site, "tapescope", "_tapescope.abi3.so"))
        needed = {line.split("[")[1].split("]")[0] for line in said.splitlines() if "(NEEDED)" in line}
        self.assertLessEqual({"libc.so.6"}, needed)
        self.assertLessEqual(needed, {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libz.so.1", "ld-linux-x86-64.so.2"})

    def test_the_sdist_holds_what_the_wheel_is_built_from(self):
        with tarfile.open(self.sdist) as archive:
            folders = {name.split("/")[1] for name in archive.getnames() if name.count("/") > 1}
        self.assertLessEqual({"bridges", "engine", "viewer", "cmake"}, folders)
        self.assertFalse({"tests", "build", ".git"} & folders)

    def test_a_program_without_a_framework_is_recorded_and_explained(self):
        tape = self.folder / "plain.tape"
        printed = run(self.python, "-m", "tapescope", "--record", tape, self.program(PLAIN), cwd=self.folder, env=environment())
        self.assertIn(f"from {self.site}", printed)
        self.assertIn(f"tapescope-{printed.split()[-1]}-", self.wheel.name)
        report = json.loads(run(TAPESCOPE, "report", tape, "--json", "-"))
        self.assertIn("0.25", json.dumps(report))
        answered = run(self.python, "-m", "tapescope", self.program(PLAIN), cwd=self.folder, env=environment())
        self.assertGreater(len(answered.splitlines()), len(printed.splitlines()), "the application has nothing to say")

    @unittest.skipUnless(os.access(WITH_TENSORFLOW, os.X_OK), "no Python has TensorFlow")
    def test_a_tensorflow_program_is_explained(self):
        tape = self.folder / "broken.tape"
        run(WITH_TENSORFLOW, "-m", "tapescope", "--record", tape, self.program(BROKEN), cwd=self.folder,
            env=environment(PYTHONPATH=self.site, TF_CPP_MIN_LOG_LEVEL="3"))
        row, = json.loads(run(TAPESCOPE, "explain", tape, "--json", "-"))["gradients"]
        self.assertEqual((row["source"], row["status"], row["reason"], row["location"]), ("x", "none", "not_watched", "program.py:4"))


if __name__ == "__main__":
    sys.exit(unittest.main(argv=sys.argv[:1]))
