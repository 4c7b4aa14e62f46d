"""What hooks find out themselves becomes the answers that the application gives: findings_test.py TAPESCOPE PACKAGE_FOLDER (no framework needed)"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

TAPESCOPE, FOLDER = sys.argv[1:3]
sys.path.insert(0, FOLDER)

from tapescope import _tapescope as module  # noqa: E402

ANSWER, ALERT, ADVICE, RETRACE = range(4)


def site(line):
    return module.site_of("train.py", "fit", line, 0, 0)


class Findings(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "program.tape")
        module.fact("framework", "torch")
        self.assertIsNone(module.record(self.path))

    def tearDown(self):
        module.finish("finished")
        self.folder.cleanup()

    def explained(self):
        module.finish("finished")
        run = subprocess.run([TAPESCOPE, "explain", self.path, "--json", "-"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def answer(self, name, status, reason="", op="", line=0, message="", fix=""):
        module.finding(ANSWER, name, reason, op, site(line) if line else 0, message, fix, status, "loss")

    def test_an_answer_is_a_row_with_its_way(self):
        self.answer("w", "none", "stop_gradient", "detach", 7, "the way ends in detach()", "leave detach() out")
        module.finding_step("linear", "linear", site(9))
        module.finding_step("detach", "detach", site(7))
        row, = self.explained()["gradients"]
        self.assertEqual((row["source"], row["status"], row["reason"], row["location"]), ("w", "none", "stop_gradient", "train.py:7"))
        self.assertEqual((row["message"], row["fix"]), ("the way ends in detach()", "leave detach() out"))
        self.assertEqual([step["location"] for step in row["path"]], ["train.py:9", "train.py:7"])
        self.assertEqual((row["edge"]["op"], row["edge"]["location"]), ("detach", "train.py:7"))

    def test_the_last_answer_about_a_source_counts(self):
        self.answer("w", "none", "independent", line=3)
        self.answer("w", "value")
        module.finding_figures(2.5, 0, 0)
        row, = self.explained()["gradients"]
        self.assertEqual((row["status"], row["norm"], row["reason"]), ("value", 2.5, None))

    def test_a_name_that_was_given_up_has_no_row(self):
        self.answer("polisher.kite.trim", "value")
        self.answer("polisher.kite.trim", "withdrawn")
        self.answer("trim", "zero", "dead_relu", "relu", 4)
        self.assertEqual([row["source"] for row in self.explained()["gradients"]], ["trim"])

    def ask_that_raises(self):
        """backward() of a loss that one op made of w, ended by an error."""
        kind = module.type("float32", ())
        tape = module.tape_made(True, False)
        module.tape_enter(tape, False)
        source = module.tensor_made(2, kind)
        loss = module.timed_op("relu", [source], [kind], [3], [kind], site(5), 0, module.ticks(), module.ticks())
        module.variable(source, "w", True, kind)
        call = module.ask(tape, 0, 1, 1)
        module.target(loss, "loss")
        module.source(0, source, "w")
        module.backward_begin(tape, call)
        module.backward_end(tape, call, True)

    def test_a_question_that_raised_has_a_row_for_what_was_asked_about(self):
        self.ask_that_raises()
        self.assertEqual([row["source"] for row in self.explained()["gradients"]], ["w"])

    def test_nothing_is_said_where_the_hooks_withdraw_what_was_asked_about(self):
        self.ask_that_raises()
        self.answer("w", "withdrawn")
        document = self.explained()
        self.assertEqual((document["gradients"], document["alerts"]), ([], []))

    def test_none_comes_before_values_and_raises_an_alert(self):
        self.answer("a", "value")
        self.answer("b", "none", "unused", line=2)
        document = self.explained()
        self.assertEqual([row["source"] for row in document["gradients"]], ["b", "a"])
        self.assertEqual([alert["kind"] for alert in document["alerts"]], ["none"])

    def test_an_alert_names_op_and_direction(self):
        module.finding(ALERT, "loss", "nonfinite", "SqrtBackward0", site(5), "backward of sqrt makes the first infinity", "add an epsilon", "backward inf", "")
        module.finding(ALERT, "loss", "nonfinite", "SqrtBackward0", site(5), "backward of sqrt makes the first infinity", "add an epsilon", "backward inf", "")
        alert, = self.explained()["alerts"]
        self.assertEqual((alert["op"], alert["direction"], alert["value"], alert["location"]), ("SqrtBackward0", "backward", "inf", "train.py:5"))

    def test_advice_is_given_once(self):
        for _ in range(2):
            module.finding(ADVICE, "trunk", "unneeded_variable", "", site(8), "no optimizer holds trunk", "freeze it", "", "")
        advice, = self.explained()["advice"]
        self.assertEqual((advice["kind"], advice["subject"], advice["location"]), ("unneeded_variable", "trunk", "train.py:8"))

    def test_retraces_are_counted_by_function(self):
        for name, traces in (("score", 1), ("other", 1)):
            module.finding(RETRACE, name, "", "", site(1), "", "", "", "")
            module.finding_figures(40.0, 1, traces)
        module.finding(RETRACE, "score", "shape", "", site(6), "[6]", "compile with dynamic=True", "letter", "[4]")
        module.finding_figures(25.0, 3, 2)
        functions = {row["name"]: row for row in self.explained()["functions"]}
        self.assertEqual((functions["score"]["traces"], functions["score"]["calls"], functions["other"]["traces"]), (2, 3, 1))
        self.assertEqual((functions["score"]["trace_us"], functions["other"]["trace_us"]), (65, 40))
        retrace, = functions["score"]["retraces"]
        self.assertEqual([retrace[key] for key in ("call", "kind", "argument", "from", "to")], [3, "shape", "letter", "[4]", "[6]"])
        self.assertEqual(retrace["trace_us"], 25)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
