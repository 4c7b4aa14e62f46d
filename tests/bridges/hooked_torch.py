"""Gradients that the program's own code changes on their way: hooks of tensors, and functions with a backward of their author's.

usage: hooked_torch.py PACKAGE_FOLDER TAPESCOPE   (with a Python that has PyTorch)
"""
import os
import sys
import unittest

FOLDER, os.environ["TAPESCOPE"] = sys.argv[1:3]
sys.path.insert(0, FOLDER)

import torch  # noqa: E402
import tapescope  # noqa: E402


def line():
    return f"{os.path.basename(__file__)}:{sys._getframe(1).f_lineno}"


class Half(torch.autograd.Function):
    """Its backward gives zeros for the second input."""

    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx, cotangent):
        x, w = ctx.saved_tensors
        return cotangent @ w.T, torch.zeros_like(w)


class Hooked(unittest.TestCase):
    def setUp(self):
        self.x = torch.linspace(-1, 1, 8).view(2, 4)

    def row(self, program, name):
        with tapescope.record() as recording:
            program()
        return next(row for row in recording.document()["gradients"] if row["source"] == name)

    def check(self, row, place, words):
        self.assertEqual((row["status"], row["reason"], row["location"]), ("zero", "masked", place))
        self.assertIn(words, row["message"])

    def test_a_hook_on_a_parameter_that_returns_zeros_is_to_blame(self):
        def program():
            w = torch.nn.Parameter(torch.ones(4, 1))
            w.register_hook(lambda gradient: gradient * 0); self.place = line()  # noqa: E702, one line
            (self.x @ w).square().sum().backward()
            self.found = w.grad
        self.check(self.row(program, "w"), self.place, "a hook")
        self.assertEqual(self.found.abs().sum(), 0)

    def test_a_hook_on_a_result_is_to_blame_for_all_below_it(self):
        def program():
            w = torch.nn.Parameter(torch.ones(4, 1))
            h = torch.tanh(self.x @ w)
            h.register_hook(torch.zeros_like); self.place = line()  # noqa: E702, one line
            h.square().sum().backward()
            self.found = w.grad
        self.check(self.row(program, "w"), self.place, "a hook")

    def test_contributions_that_cancel_are_not_a_hooks_doing(self):
        def program():
            w = torch.nn.Parameter(torch.ones(4, 1))
            w.register_hook(lambda gradient: None)
            (self.x @ w - self.x @ w).sum().backward()
            self.found = w.grad
        row = self.row(program, "w")
        self.assertEqual((row["status"], row["reason"]), ("zero", "cancels"))

    def test_a_hook_that_only_looks_is_not(self):
        def program():
            w, dead = torch.nn.Parameter(torch.ones(4, 1)), torch.nn.Parameter(torch.tensor(-9.0))
            dead.register_hook(lambda gradient: None)
            ((self.x @ w).square().sum() + torch.relu(dead)).backward(); self.place = line()  # noqa: E702, one line
            self.found = w.grad, dead.grad
        row = self.row(program, "dead")
        self.assertEqual((row["status"], row["reason"], row["location"]), ("zero", "dead_relu", self.place))

    def test_a_function_whose_backward_gives_zeros_is_named(self):
        def program():
            w = torch.nn.Parameter(torch.ones(4, 1))
            y = Half.apply(self.x, w); self.place = line()  # noqa: E702, one line
            y.square().sum().backward()
            self.found = w.grad
        self.check(self.row(program, "w"), self.place, "backward of Half gives back zeros")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
