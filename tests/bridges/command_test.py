"""`python -m tapescope PROGRAM` runs a program as `python PROGRAM` does, whatever becomes of it: output, traceback, exit code.

usage: command_test.py TAPESCOPE PACKAGE_FOLDER
"""
import os
import signal
import subprocess
import sys
import tempfile
import unittest

TAPESCOPE, FOLDER = sys.argv[1:3]
ENVIRONMENT = {**os.environ, "PYTHONPATH": FOLDER, "TAPESCOPE": TAPESCOPE, "TAPESCOPE_LISTEN": "0"}
ENVIRONMENT.pop("DISPLAY", None)
ENVIRONMENT.pop("WAYLAND_DISPLAY", None)

PROGRAMS = {
    "prints its arguments, name and file": "import sys\nprint(sys.argv, __name__, __file__)\nprint('said', file=sys.stderr)\n",
    "imports its neighbour": "import neighbour\nprint(neighbour.value)\n",
    "raises": "def f(x):\n    return 1 // x\n\n\nf(0)\n",
    "raises while it handles": "try:\n    {}['a']\nexcept KeyError:\n    raise ValueError('b')\n",
    "raises from another": "try:\n    {}['a']\nexcept KeyError as error:\n    raise ValueError('b') from error\n",
    "raises a group": "raise ExceptionGroup('several', [ValueError('a'), KeyError('b')])\n",
    "raises in a thread": "import threading\nthread = threading.Thread(target=lambda: 1 // 0, name='t')\nthread.start()\nthread.join()\nprint('after')\n",
    "shows errors itself": "import sys\nsys.excepthook = lambda kind, error, trace: print('own', kind.__name__, trace.tb_lineno, file=sys.stderr)\n1 // 0\n",
    "fails to show errors": "import sys\ndef hook(kind, error, trace):\n    raise ValueError('hook')\nsys.excepthook = hook\n1 // 0\n",
    "exits while it shows errors": "import sys\nsys.excepthook = lambda kind, error, trace: sys.exit(7)\n1 // 0\n",
    "raises in its neighbour": "import neighbour\nneighbour.fail()\n",
    "does not parse": "print('never'\n",
    "ends with a code": "import sys\nprint('before')\nsys.exit(3)\n",
    "ends with a sentence": "import sys\nsys.exit('no data')\n",
    "ends at once": "import os\nprint('before', flush=True)\nos._exit(4)\n",
    "is interrupted": "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nwhile True:\n    pass\n",
    "lacks a framework": "import no_such_framework\n",
    "forks": "import os\nchild = os.fork()\nif child == 0:\n    print('child', flush=True)\n    os._exit(5)\nprint(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n",
    "is ended by a signal": "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\nwhile True:\n    pass\n",
    "has functions for its end": "import atexit\natexit.register(print, 'end')\nprint('body')\n",
}
NEIGHBOUR = "value = 7\n\n\ndef fail():\n    raise RuntimeError('neighbour')\n"


def run(*words, folder=None):
    done = subprocess.run([sys.executable, "-B", *words], capture_output=True, text=True, env=ENVIRONMENT, timeout=60, cwd=folder)
    return done.returncode, done.stdout, done.stderr


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.program, self.tape = (os.path.join(self.folder, name) for name in ("program.py", "run.tape"))
        self.write(NEIGHBOUR, "neighbour.py")

    def write(self, text, name="program.py"):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def test_code_of_libraries_is_not_the_programs_wherever_they_are_installed(self):
        framework = os.path.join(self.folder, "built", "torch")
        os.makedirs(framework)
        open(os.path.join(framework, "__init__.py"), "w").close()
        code = "from tapescope.places import is_user\nimport torch\n" \
            "print([is_user(path) for path in (torch.__file__, '/opt/x/lib/python3.11/site-packages/net/a.py', '/usr/lib/python3/dist-packages/b.py', 'train.py')])"
        run = subprocess.run([sys.executable, "-c", code], env={**ENVIRONMENT, "PYTHONPATH": os.pathsep.join((FOLDER, os.path.dirname(framework)))},
                             capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(run.stdout, "[False, False, False, True]\n")

    def test_a_program_ends_as_under_python(self):
        for name, text in PROGRAMS.items():
            with self.subTest(name):
                self.write(text)
                words = (self.program, "one", "--record", "-m")
                self.assertEqual(run("-m", "tapescope", "--record", self.tape, *words), run(*words))
                self.assertTrue(os.path.exists(self.tape))

    def test_a_program_named_from_its_folder_runs_as_under_python(self):
        for name in ("prints its arguments, name and file", "raises", "raises in its neighbour", "does not parse", "has functions for its end"):
            with self.subTest(name):
                self.write(PROGRAMS[name])
                words = (os.path.basename(self.program), "one")
                self.assertEqual(run("-m", "tapescope", "--record", self.tape, *words, folder=self.folder), run(*words, folder=self.folder))

    def test_the_recording_says_in_one_line_what_the_program_failed_by(self):
        for said, line in (("no data.", "ValueError: no data;"), ("a\nb", "ValueError: a;"),
                           ("in user code:\n\n    File here\n\n    ValueError: empty\n", "ValueError: empty;")):
            with self.subTest(said):
                self.write(f"raise ValueError({said!r})\n")
                run("-m", "tapescope", "--record", self.tape, self.program)
                done = subprocess.run([TAPESCOPE, "explain", self.tape], capture_output=True, text=True, check=True)
                self.assertIn(f"ended by an exception, {line}", done.stdout)

    def test_modules_and_texts_run_as_under_python(self):
        self.write(PROGRAMS["raises"], "failing.py")
        for words in (("-c", "import sys; print(sys.argv); sys.exit(2)", "a"), ("-c", "1 // 0"), ("-m", "this")):
            with self.subTest(words):
                self.assertEqual(run("-m", "tapescope", "--record", self.tape, *words)[:2], run(*words)[:2])

    def test_the_application_has_the_same_command(self):
        def python(*words, **changes):
            done = subprocess.run([TAPESCOPE, "python", *words], capture_output=True, text=True, timeout=60,
                                  env={**ENVIRONMENT, "PYTHON": sys.executable, **changes})
            return done.returncode, done.stdout, done.stderr

        for name in ("prints its arguments, name and file", "raises", "ends with a code", "is ended by a signal"):
            with self.subTest(name):
                self.write(PROGRAMS[name])
                words = (self.program, "--help", "-h", "--", "two words")
                self.assertEqual(python("--record", self.tape, *words), run(*words))
                self.assertTrue(os.path.exists(self.tape))
        self.assertEqual(python("--record", self.tape, "-c", "import sys; sys.exit(5)")[0], 5)
        self.assertIn("--record FILE", python("--help")[1])
        for words, changes, code, says in (((), {}, 2, "no program to run"),
                                           ((self.program,), {"PYTHON": "no-such-python"}, 3, "there is no program no-such-python")):
            self.assertEqual(python(*words, **changes)[:2], (code, ""))
            self.assertRegex(python(*words, **changes)[2], f"^tapescope: {says}.*\n$")

    def test_without_options_the_answer_follows_the_program(self):
        self.write("print('body')\n")
        code, out, err = run("-m", "tapescope", self.program)
        self.assertEqual((code, out.splitlines()[0]), (0, "body"))
        self.assertGreater(len(out.splitlines()), 1, (out, err))

    def test_what_cannot_be_run_or_written_is_one_sentence(self):
        self.write("print('body')\n")
        code, out, err = run("-m", "tapescope", os.path.join(self.folder, "absent.py"))
        self.assertEqual((code, out, err.count("\n")), (2, "", 1))
        self.assertIn("there is no program", err)
        code, out, err = run("-m", "tapescope", "--record", os.path.join(self.folder, "no", "run.tape"), self.program)
        self.assertEqual((code, out, err.count("\n")), (3, "", 1), err)
        self.assertEqual(run("-m", "tapescope")[0], 2)

    def test_a_full_disk_does_not_stop_the_program(self):
        self.write("print('body')\n")
        code, out, err = run("-m", "tapescope", "--record", "/dev/full", self.program)
        self.assertEqual((code, out), (0, "body\n"), err)
        self.assertNotIn("Traceback", err)

    def test_a_signal_ends_the_process_for_who_waits_for_it(self):
        self.write(PROGRAMS["is interrupted"])
        self.assertEqual(run("-m", "tapescope", "--record", self.tape, self.program)[0], -signal.SIGINT)

    def test_a_framework_of_another_age_is_one_sentence(self):
        """Neither TensorFlow 1 nor one that is newer than we know has the modules that hooks replace."""
        os.mkdir(os.path.join(self.folder, "tensorflow"))
        self.write("import tensorflow as tf\nprint(tf.__version__)\nraise SystemExit(3)\n")
        for version in ("1.15.5", "2.99.0"):
            with self.subTest(version):
                self.write(f"__version__ = '{version}'\n", "tensorflow/__init__.py")
                code, out, err = run("-m", "tapescope", "--record", self.tape, self.program)
                self.assertEqual((code, out, err.count("\n")), (3, f"{version}\n", 1), err)
                self.assertIn(f"tensorflow {version} is not recorded", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
