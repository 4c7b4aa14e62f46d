"""The bridge's module without any framework: hook calls as TensorFlow makes them, and what the application says of the recording.

usage: cassette_test.py TAPESCOPE PACKAGE_FOLDER
"""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

TAPESCOPE, FOLDER = sys.argv[1:3]
sys.path.insert(0, FOLDER)

from tapescope import _tapescope as module  # noqa: E402
from tapescope.patches import Patches  # noqa: E402

from played import Held, Question, Tensor, Variable, configure, define, op  # noqa: E402


class Cassette(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "program.tape")
        configure(__file__)
        self.assertIsNone(module.record(self.path))

    def tearDown(self):
        module.finish("finished")
        self.folder.cleanup()

    def explained(self):
        module.finish("finished")
        run = subprocess.run([TAPESCOPE, "explain", self.path, "--json", "-"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        return {row["source"]: row for row in json.loads(run.stdout)["gradients"]}

    def test_a_tensor_that_no_tape_watches_has_no_gradient(self):
        x, w = Tensor(), Variable("w")
        with Question() as tape:
            loss = op("Mul", op("Exp", w), x)
        tape.ask(loss, [w, x], [Tensor(), None])
        rows = self.explained()
        self.assertEqual(rows["w"]["status"], "value")
        self.assertEqual((rows["x"]["status"], rows["x"]["reason"]), ("none", "not_watched"))
        self.assertIn("tape.watch(x)", rows["x"]["fix"])
        self.assertRegex(rows["x"]["location"], r"^cassette_test\.py:\d+$")

    def test_a_watched_tensor_is_followed(self):
        x = Tensor()
        with Question() as tape:
            tape.watch(x)
            loss = op("Square", x)
        tape.ask(loss, [x], [Tensor()])
        self.assertEqual(self.explained()["x"]["status"], "value")

    def test_a_variable_that_an_earlier_step_met_first_is_called_one(self):
        handles = {}

        def once(variable):
            if variable not in handles:
                handles[variable] = define(variable)
            return handles[variable]

        configure(__file__, variable=once)
        w = Variable("w")
        with unittest.mock.patch("played.define", once):
            for step in range(3):
                module.training_step_begin(step)
                with Question() as tape:
                    loss = op("Square", op("Floor", w))
                tape.ask(loss, [w], [None])
                module.training_step_end(step)
        self.assertRegex(self.explained()["w"]["message"], "from variable 'w'")

    def test_a_question_that_raised_over_its_arguments_is_not_answered(self):
        """As jacobian() of a list does; one that the tape itself cannot answer is explained."""
        def raised(tape, target, source):
            call = module.ask(tape, 0, 1, 1)
            module.target(module.tensor(target), "loss")
            module.source(0, define(source), source.name)
            module.backward_begin(tape, call)
            module.backward_end(tape, call, True)

        w, v = Variable("w"), Variable("v")
        with Question() as tape:
            loss = op("Exp", w)
        raised(tape.tape, loss, w)
        with Question() as tape:
            loss = op("Exp", v)
        module.tape_consumed(tape.tape)
        raised(tape.tape, loss, v)
        self.assertEqual({name: row["reason"] for name, row in self.explained().items()}, {"v": "consumed"})

    def advised(self, shape):
        """What is advised of a step in which one line computes the same eight times."""
        x = Tensor(shape)
        module.training_step_begin(0)
        with Question() as tape:
            tape.watch(x)
            rates = [op("Exp", x, output=Tensor(shape)) for _ in range(8)]
            loss = op("Sum", rates[-1])
        tape.ask(loss, [x], [Tensor(shape)])
        module.training_step_end(0)
        module.finish("finished")
        run = subprocess.run([TAPESCOPE, "explain", self.path, "--json", "-"], capture_output=True, text=True)
        return [row["kind"] for row in json.loads(run.stdout)["advice"]]

    def test_work_that_a_line_repeats_is_advised_about(self):
        self.assertIn("repeated_work", self.advised((8, 8)))

    def test_scalars_that_a_library_computes_again_at_one_line_are_not(self):
        self.assertNotIn("repeated_work", self.advised(()))

    def test_an_untrainable_variable_is_not(self):
        w = Variable("w", trainable=False)
        with Question() as tape:
            loss = op("Square", w)
        tape.ask(loss, [w], [None])
        row = self.explained()["w"]
        self.assertEqual(row["reason"], "not_trainable")
        self.assertIn("trainable=True", row["fix"])

    def test_an_op_without_a_gradient_is_the_break(self):
        w = Variable("w")
        with Question() as tape:
            loss = op("Square", op("Floor", w))
        tape.ask(loss, [w], [None])
        row = self.explained()["w"]
        self.assertEqual((row["reason"], row["edge"]["op"]), ("not_differentiable", "Floor"))

    def test_stop_gradient_is_the_break(self):
        w = Variable("w")
        with Question() as tape:
            loss = op("Square", op("StopGradient", w))
        tape.ask(loss, [w], [None])
        self.assertEqual(self.explained()["w"]["reason"], "stop_gradient")

    def test_what_ran_before_the_block_is_not_recorded(self):
        w = Variable("w")
        before = op("Exp", w)
        with Question() as tape:
            loss = op("Square", before)
        tape.ask(loss, [w], [None])
        self.assertEqual(self.explained()["w"]["reason"], "outside_tape_before")

    def walked(self, op_type, value, returned, forward=(1.0,)):
        """w -> op -> Sum, with values: the rows and alerts where the op's backward step returned `returned`."""
        configure(__file__, eager=Held)
        w, attributes, outputs = Variable("w"), ("T", 1), (Held(forward), Held([1.0]))
        with Question() as tape:
            for index, output in enumerate(outputs):
                name, inputs = (op_type, (Held(value),)) if index == 0 else ("Sum", (outputs[0],))
                given = (w,) if index == 0 else inputs
                module.wrap_fast_path(lambda *_, n=name, i=inputs, o=output, a=(attributes, ("T", 1, "k"))[index]: module.op_callback(n, i, a, [o]))(
                    None, name, None, *given)
        walk = module.wrap_gradient(lambda *_: [Held(returned)])
        call = module.ask(tape.tape, 0, 1, 1)
        module.target(module.tensor(outputs[1]), "loss")
        module.source(0, define(w), "w")
        module.backward_begin(tape.tape, call)
        walk(op_type, attributes, 1, [Held(value)], [outputs[0]], [Held([1.0])], None, "")
        module.backward_end(tape.tape, call, False)
        found = module.result(0, define(w), "w", 1, Held(returned))
        if found & 6:
            module.nonfinite_ops()
        module.finish("finished")
        run = subprocess.run([TAPESCOPE, "explain", self.path, "--json", "-"], capture_output=True, text=True)
        document = json.loads(run.stdout)
        return document["gradients"][0], document["alerts"]

    def test_the_backward_step_that_made_the_first_infinity_is_named(self):
        row, alerts = self.walked("Sqrt", [0.0], [math.inf])
        self.assertEqual(row["status"], "nonfinite")
        self.assertEqual((alerts[0]["kind"], alerts[0]["op"], alerts[0]["direction"], alerts[0]["value"]), ("nonfinite", "Sqrt", "backward", "inf"))
        self.assertIn("epsilon", alerts[0]["fix"])

    def test_the_forward_op_that_made_the_first_nan_is_named(self):
        row, alerts = self.walked("Log", [-1.0], [math.nan], forward=[math.nan])
        self.assertEqual((alerts[0]["op"], alerts[0]["direction"], alerts[0]["value"]), ("Log", "forward", "nan"))

    def test_the_op_at_which_zeros_began_is_named(self):
        row, _ = self.walked("Relu", [-1.0], [0.0])
        self.assertEqual((row["status"], row["reason"]), ("zero", "dead_relu"))
        self.assertNotIn("probably", row["message"])

    def test_a_hook_that_fails_reaches_nobody(self):
        before = module.swallowed()[0]
        configure(__file__, rule=lambda op_type: 1 / 0)
        self.assertIsInstance(op("OpWithABrokenRule", Tensor()), Tensor)
        count, first = module.swallowed()
        self.assertEqual(count, before + 1)
        self.assertIn("ZeroDivisionError", first)

    def test_nothing_is_recorded_while_muted(self):
        module.mute()
        x = op("Exp", Tensor())
        module.unmute()
        self.assertEqual(module.find(x), 0)

    def test_two_recordings_follow_each_other(self):
        module.finish("finished")
        second = os.path.join(self.folder.name, "second.tape")
        self.assertIsNone(module.record(second))
        self.assertIn("already", module.record(self.path))
        module.finish("finished")
        self.assertGreater(os.path.getsize(second), 100)

    def test_a_folder_that_is_none_is_said(self):
        module.finish("finished")
        self.assertIn("nowhere", module.record(os.path.join(self.folder.name, "nowhere", "x.tape")))


class Patched(unittest.TestCase):
    def test_what_another_replaced_in_turn_stays(self):
        class Owner:
            first = second = staticmethod(lambda: "original")
        patches = Patches()
        for name in ("first", "second"):
            patches.set(Owner, name, lambda original: staticmethod(lambda: "ours"), "nothing")
        other = staticmethod(lambda: "theirs")
        Owner.second = other
        patches.undo()
        self.assertEqual((Owner.first(), Owner.second()), ("original", "theirs"))

    def test_a_missing_name_turns_off_one_feature(self):
        patches = Patches()
        self.assertIsNone(patches.set(os, "no_such_name", lambda original: original, "steps are not seen"))
        self.assertIn("steps are not seen", patches.missing[0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
