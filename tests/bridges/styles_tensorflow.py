"""What is said of programs in styles that people write in: keywords and scopes.

usage: styles_tensorflow.py TAPESCOPE PACKAGE_FOLDER   (with a Python that has TensorFlow)
"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from reasons_tensorflow import Answers  # noqa: E402


class Retraces(unittest.TestCase):
    def retraces(self, body, name):
        answers = Answers(body)
        function = next(row for row in answers.said["functions"] if row["name"] == name)
        return function["retraces"]

    def test_keywords_that_come_and_go_are_another_structure(self):
        found = self.retraces("""
            @tf.function
            def sales(loaves, **measured):
                return loaves + tf.add_n(list(measured.values()))

            day = tf.ones([3])
            sales(day, rain=day)
            sales(day, heat=day, rain=day)
            sales(day, rain=day)
            sales(day, wind=day)""", "sales")
        self.assertEqual([(row["call"], row["kind"], row["argument"]) for row in found], [(2, "structure", "heat"), (4, "structure", "rain")])
        self.assertEqual((found[0]["from"], found[0]["to"]), ("loaves, rain", "loaves, heat, rain"))
        self.assertIn("same keyword arguments", found[0]["fix"])

    def test_a_strategy_s_scope_is_another_context(self):
        found = self.retraces("""
            @tf.function
            def penalty(w):
                return tf.reduce_sum(w * w)

            w = tf.ones([2])
            penalty(w)
            with tf.distribute.MirroredStrategy(["/cpu:0"]).scope():
                penalty(w)
            penalty(w)""", "penalty")
        self.assertEqual([(row["call"], row["kind"], row["from"]) for row in found], [(2, "context", "none")])
        self.assertIn("scope", found[0]["fix"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
