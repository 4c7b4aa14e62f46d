"""What is advised of a program in Python, whose text says more than records: hook calls as TensorFlow makes them, without it.

usage: advice_test.py TAPESCOPE PACKAGE_FOLDER
"""
import inspect
import json
import os
import subprocess
import sys
import tempfile
import unittest

TAPESCOPE, FOLDER = map(os.path.abspath, sys.argv[1:3])
sys.path.insert(0, FOLDER)

from tapescope import _tapescope as module  # noqa: E402
from tapescope.steps import steps  # noqa: E402

from played import Held, Question, Tensor, Variable, configure, define, op  # noqa: E402


def here():
    """The caller's line."""
    return inspect.currentframe().f_back.f_lineno


def turned(x):
    return op("Neg", x)


def turned_back(x):
    return op("Neg", x)


class Advice(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "program.tape")
        configure(__file__, eager=Held)
        self.assertIsNone(module.record(self.path))

    def tearDown(self):
        module.finish("finished")
        self.folder.cleanup()

    def advised(self):
        """By kind. Explained elsewhere than in the program's folder."""
        module.finish("finished")
        run = subprocess.run([TAPESCOPE, "explain", self.path, "--json", "-"], capture_output=True, text=True, cwd=self.folder.name)
        self.assertEqual(run.returncode, 0, run.stderr)
        return {row["kind"]: row for row in json.loads(run.stdout)["advice"]}

    def of_steps(self, step, count=3, parts=1):
        """Training steps of a variable: `step(number, gradient)` stands after the question of each part."""
        w = Variable("w")
        for number in range(count):
            module.training_step_begin(number)
            for _ in range(parts):
                with Question() as tape:
                    loss = op("Square", w, output=Held([1.0]))
                gradient = op("Exp", loss, output=Held([2.0 + number]))
                tape.ask(loss, [w], [Held([2.0])])
                step(number, gradient)
            module.training_step_end(number)

    def test_a_helper_is_advised_about_at_the_line_that_calls_it(self):
        w = Variable("w")
        module.training_step_begin(0)
        with Question() as tape:
            x = op("Exp", w)
            line = here() + 1
            loss = turned_back(turned(x))
        tape.ask(loss, [w], [Held([1.0])])
        module.training_step_end(0)
        self.assertEqual(self.advised()["redundant_ops"]["location"], f"advice_test.py:{line}")

    def test_a_number_that_is_computed_of_what_the_host_reads_is_a_round_trip(self):
        lines = []

        def shorten(number, gradient):
            lines.append(here() + 1)
            length = module.host_read(gradient) or 2.0 + number
            share = 1 / length
            op("Mul", gradient, Held([share]))

        self.of_steps(shorten)
        row = self.advised()["host_round_trip"]
        self.assertEqual(row["location"], f"advice_test.py:{lines[0]}")
        self.assertIn("tf.clip_by_global_norm", row["fix"])

    def test_a_number_returned_to_the_line_that_uses_it_is_a_round_trip(self):
        def length_of(number, gradient):
            left = module.host_read(gradient) or 2.0 + number
            return 1 / left

        def shorten(number, gradient):
            share = length_of(number, gradient)
            op("Mul", gradient, Held([share]))

        self.of_steps(shorten)
        self.assertIn("host_round_trip", self.advised())

    def test_what_is_read_for_a_log_is_none(self):
        log = {}

        def note(number, gradient):
            log[number] = module.host_read(gradient) or 2.0 + number
            op("Mul", gradient, Held([0.5 + number]))

        self.of_steps(note)
        self.assertNotIn("host_round_trip", self.advised())

    def test_what_a_library_reads_is_none(self):
        library = {"read": module.host_read}
        exec(compile("def read_by_library(tensor):\n    return read(tensor)\n", "/library/optimizer.py", "exec"), library)

        def shorten(number, gradient):
            length = library["read_by_library"](gradient) or 2.0 + number
            op("Mul", gradient, Held([1 / length]))

        self.of_steps(shorten)
        self.assertNotIn("host_round_trip", self.advised())

    def norms_read(self, count, parts=1):
        """The line that reads that many numbers in each step, and what is advised."""
        lines, log = [], []

        def note(number, gradient):
            norms = [op("Sqrt", gradient, output=Held([number + place])) for place in range(count)]
            lines.append(here() + 1)
            log.append([module.host_read(norm) for norm in norms])

        self.of_steps(note, parts=parts)
        return lines[0], self.advised()

    def test_numbers_that_a_line_reads_one_by_one_are_better_read_at_once(self):
        line, advised = self.norms_read(3)
        row = advised["host_round_trip"]
        self.assertEqual(row["location"], f"advice_test.py:{line}")
        self.assertIn("3 numbers", row["evidence"])
        self.assertIn("tf.stack", row["fix"])

    def test_what_a_step_inside_a_function_reads_one_by_one_is_no_better(self):
        w = Variable("w")
        for number in range(3):
            module.training_step_begin(number)
            norms = [op("Sqrt", w, output=Held([number + place])) for place in range(4)]
            for norm in norms:
                module.host_read(norm)
            module.training_step_end(number)
        self.assertIn("4 numbers", self.advised()["host_round_trip"]["evidence"])

    def test_what_is_read_at_the_end_alone_delays_no_step(self):
        def note(number, gradient):
            norms = [op("Sqrt", gradient, output=Held([number + place])) for place in range(4)]
            for norm in norms if number == 2 else ():
                module.host_read(norm)

        self.of_steps(note)
        self.assertNotIn("host_round_trip", self.advised())

    def test_a_loss_that_many_steps_wait_for_is_better_read_now_and_then(self):
        lines = []

        def note(number, gradient):
            loss = op("Mean", gradient, output=Held([number]))
            lines.append(here() + 1)
            module.host_read(loss)

        self.of_steps(note, count=20)
        row = self.advised()["host_round_trip"]
        self.assertEqual(row["location"], f"advice_test.py:{lines[0]}")
        self.assertIn("in each step", row["evidence"])

    def test_a_loss_and_a_metric_may_be_read(self):
        self.assertNotIn("host_round_trip", self.norms_read(2)[1])

    def test_the_loss_of_each_part_of_a_batch_may_be_read(self):
        self.assertNotIn("host_round_trip", self.norms_read(1, parts=4)[1])

    def parts(self, end_of_second):
        x = Tensor((64, 64))
        module.training_step_begin(0)
        with Question() as tape:
            tape.watch(x)
            for end in (32.0, end_of_second):
                part = op("StridedSlice", x, Held([0.0]), Held([end]), output=Tensor((32, 64)))
            loss = op("Sum", part)
        tape.ask(loss, [x], [Held([1.0])])
        module.training_step_end(0)
        return self.advised()

    def test_the_same_part_taken_again_is_repeated_work(self):
        self.assertIn("repeated_work", self.parts(32.0))

    def test_another_part_is_none(self):
        self.assertNotIn("repeated_work", self.parts(64.0))

    def dropped(self, one_line):
        x = Tensor((64, 64))
        module.training_step_begin(0)
        with Question() as tape:
            tape.watch(x)
            # A custom gradient: what runs inside is recorded as well, and leads nowhere.
            if one_line:
                loss = [op(name, x, output=Tensor((64, 64))) for name in ("Sigmoid", "Mul", "Tanh")][-1]
            else:
                op("Sigmoid", x, output=Tensor((64, 64)))
                loss = op("Tanh", x, output=Tensor((64, 64)))
        tape.ask(loss, [x], [Tensor((64, 64))])
        module.training_step_end(0)
        return self.advised()

    def test_what_runs_inside_one_call_of_a_library_is_needed(self):
        self.assertNotIn("unneeded_work", self.dropped(one_line=True))

    def test_what_another_line_computes_for_nothing_is_not(self):
        self.assertIn("unneeded_work", self.dropped(one_line=False))


class StepsOfQuestions(unittest.TestCase):
    """Which questions belong to one step."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        configure(__file__)
        self.assertIsNone(module.record(os.path.join(self.folder.name, "program.tape")))
        steps.reset()
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(module.finish, "finished")
        self.addCleanup(steps.reset)
        self.weight = Variable("w")
        self.number = define(self.weight)

    def ask(self, number=None):
        steps.arrive("a line")
        steps.ask([self.number if number is None else number])

    def update(self):
        op("AssignSubVariableOp", self.weight.handle, Tensor())

    def test_each_question_with_an_update_is_a_step(self):
        for _ in range(4):
            self.ask()
            self.update()
        self.assertEqual(steps.number, 3)

    def test_questions_whose_answers_are_added_up_are_one_step(self):
        self.ask()
        self.update()
        for _ in range(5):
            self.ask()
        self.assertEqual(steps.number, 1)
        self.update()
        self.ask()
        self.assertEqual(steps.number, 2)

    def test_what_is_never_updated_has_a_step_for_each_question(self):
        for _ in range(4):
            self.ask(number=12345)
        self.assertEqual(steps.number, 3)

    def test_a_function_that_assigns_is_an_update(self):
        self.ask()
        self.update()
        for _ in range(3):
            self.ask()
            steps.note_update()
        self.ask()
        self.assertEqual(steps.number, 4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
