"""What a recording says is asked for in the program that made it, and shown by a notebook; no framework is needed.

usage: notebook_test.py TAPESCOPE PACKAGE_FOLDER
"""
import os
import sys
import types
import unittest

TAPESCOPE, FOLDER = sys.argv[1:3]
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [FOLDER, HERE]
os.environ["TAPESCOPE"] = TAPESCOPE

import tapescope  # noqa: E402
from played import Question, Variable, configure, module, op  # noqa: E402
from tapescope import places, results  # noqa: E402


def recorded():
    with tapescope.record() as found:
        w, unused = Variable("w"), Variable("unused")
        module.training_step_begin(0)
        with Question() as tape:
            loss = op("Square", op("Exp", w))
        tape.ask(loss, [w, unused], [None, None])
        module.training_step_end(0)
    return found


class Notebook(unittest.TestCase):
    def setUp(self):
        configure(__file__)

    def test_a_recording_without_a_file_answers_as_the_application_does(self):
        found = recorded()
        self.assertIn("with respect to unused is None (unused)", found.explain())
        self.assertEqual({row["source"]: row["status"] for row in found.document()["gradients"]}, {"w": "none", "unused": "none"})
        self.assertLessEqual({"Exp", "Square"}, {row["op"] for row in found.ops()})
        self.assertTrue(repr(found.ops()).startswith("op "), found.ops())
        path = found.path
        del found
        tapescope.session.Recording.last = None
        self.assertFalse(os.path.exists(path))

    def test_a_notebook_shows_graph_text_and_table(self):
        page = recorded()._repr_html_()
        self.assertIn("<svg", page)
        self.assertLess(page.index("<svg"), page.index("<pre>"))
        self.assertIn("<th>forward_us</th>", page)

    def test_lines_of_cells_are_called_as_the_notebook_numbers_them(self):
        found = recorded()
        self.assertIn(f"{os.path.basename(__file__)}:", found.explain())
        shell = types.SimpleNamespace(compile=types.SimpleNamespace(_filename_map={__file__: 7}))
        sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: shell)
        self.addCleanup(sys.modules.pop, "IPython")
        self.assertRegex(found.explain(), r"In \[7\] line \d+")
        self.assertRegex(tapescope.explain("loss", "unused"), r"where  In \[7\] line \d+")
        self.assertNotIn(f"{os.path.basename(__file__)}:", found._repr_html_())

    def test_a_notebook_has_its_own_name_not_that_of_the_launcher_of_kernels(self):
        arguments, sys.argv = sys.argv, ["/lib/ipykernel_launcher.py", "-f", "kernel.json"]
        self.addCleanup(setattr, sys, "argv", arguments)
        self.addCleanup(os.environ.pop, "JPY_SESSION_NAME", None)
        os.environ.pop("JPY_SESSION_NAME", None)
        self.assertEqual(recorded().document()["sample"], "notebook")
        os.environ["JPY_SESSION_NAME"] = "work/tides.ipynb"
        self.assertEqual(recorded().document()["sample"], "tides.ipynb")

    def test_what_is_installed_elsewhere_is_a_library_all_the_same(self):
        self.assertFalse(places.is_user("/opt/frameworks/lib/python3.11/site-packages/tensorflow/python/ops/math_ops.py"))
        self.assertTrue(places.is_user("/opt/frameworks/train.py"))

    def test_one_gradient_is_explained_by_names_or_objects(self):
        recorded()
        text = tapescope.explain("loss", "unused")
        self.assertTrue(text.startswith("The gradient of loss with respect to unused is None (unused)."), text)
        self.assertIn("fix", text)
        with self.assertRaisesRegex(LookupError, "sources are"):
            tapescope.explain("loss", "other")

    def test_of_two_variables_of_one_name_the_one_that_was_given_is_explained(self):
        with tapescope.record():
            first, second = Variable("w"), Variable("w")
            module.training_step_begin(0)
            with Question() as tape:
                loss = op("Square", op("Exp", second))
            tape.ask(loss, [first, second], [None, op("Ones")])
            module.training_step_end(0)
        self.assertIn(" is None ", tapescope.explain(loss, first))
        self.assertRegex(tapescope.explain(loss, first), r"  from   Square  ")  # no other name: its type, once
        self.assertIn(" has a value", tapescope.explain(loss, second))

    def test_what_cannot_be_answered_is_said(self):
        with tapescope.record() as found:
            with self.assertRaisesRegex(results.Unanswered, "under way"):
                found.explain()
            self.assertIsNone(found._repr_html_())
        os.environ["TAPESCOPE"], before = "", os.environ["TAPESCOPE"]
        path, results.application.path = results.application.path, lambda: None
        try:
            with self.assertRaisesRegex(results.Unanswered, "not found"):
                found.explain()
        finally:
            os.environ["TAPESCOPE"], results.application.path = before, path


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
