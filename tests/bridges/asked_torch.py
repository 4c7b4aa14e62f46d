"""Which gradients a recording lists: those that the program asked for.

usage: asked_torch.py PACKAGE_FOLDER TAPESCOPE   (with a Python that has PyTorch)
"""
import os
import sys
import unittest

FOLDER, os.environ["TAPESCOPE"] = sys.argv[1:3]
sys.path.insert(0, FOLDER)

import torch  # noqa: E402
import tapescope  # noqa: E402


class Asked(unittest.TestCase):
    def listed(self, ask):
        """The rows after a step in which `ask` is given a loss of two layers and the second one."""
        body, head = torch.nn.Linear(4, 3), torch.nn.Linear(3, 1)
        with tapescope.record(why=True) as recording:
            ask(head(torch.tanh(body(torch.linspace(-1, 1, 8).view(2, 4)))).square().mean(), head)
        return {row["source"]: row["status"] for row in recording.document()["gradients"]}

    def test_backward_fills_each_leaf(self):
        self.assertEqual(self.listed(lambda loss, head: loss.backward()), dict.fromkeys(("body.weight", "body.bias", "head.weight", "head.bias"), "value"))

    def test_a_leaf_that_a_question_leaves_out_has_no_row(self):
        asked = {"head.weight": "value", "head.bias": "value"}
        self.assertEqual(self.listed(lambda loss, head: torch.autograd.grad(loss, [head.weight, head.bias])), asked)
        self.assertEqual(self.listed(lambda loss, head: loss.backward(inputs=list(head.parameters()))), asked)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
