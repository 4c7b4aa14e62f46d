"""Gradients that the program's own code changes on their way: hooks of tensors, and functions with a backward of their author's.

usage: hooked_torch.py PACKAGE_FOLDER TAPESCOPE   (with a Python that has PyTorch)
"""
import os
import sys
import threading
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

    def test_a_gradient_that_a_hook_sets_to_none_was_cleared_there(self):
        def program():
            w = torch.nn.Parameter(torch.ones(4, 1))

            def clear(parameter):
                parameter.grad = None; self.place = line()  # noqa: E702, one line
            w.register_post_accumulate_grad_hook(clear)
            (self.x @ w).square().sum().backward()
            self.found = w.grad
        row = self.row(program, "w")
        self.assertEqual((row["status"], row["reason"], row["location"]), ("none", "cleared", self.place))

    def test_positions_beside_values_have_no_gradient(self):
        def program():
            w, scale = torch.nn.Parameter(torch.ones(4, 5)), torch.nn.Parameter(torch.tensor(2.0))
            found = (self.x @ w).topk(2).indices; self.place = line()  # noqa: E702, one line
            (found * scale).sum().backward()
            self.found = w.grad
        row = self.row(program, "w")
        self.assertEqual((row["status"], row["reason"], row["location"]), ("none", "not_differentiable", self.place))

    def test_a_thread_has_answers_of_its_own(self):
        def work():
            v = torch.nn.Parameter(torch.ones(4, 1))
            w = torch.nn.Parameter(torch.ones(4, 1))
            ((self.x @ w).square().sum() + (self.x @ v).detach().sum()).backward(); self.place = line()  # noqa: E702, one line
            self.found = v.grad

        def program():
            w = torch.nn.Parameter(torch.ones(4, 1))
            (self.x @ w).square().sum().backward()  # nodes of this thread have the same numbers as those of the other
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        row = self.row(program, "v")
        self.assertEqual((row["status"], row["reason"], row["location"]), ("none", "stop_gradient", self.place))

    def test_a_thread_knows_the_names_that_the_main_threads_frames_have(self):
        def program():
            encoder, twice = torch.nn.Linear(4, 1), []
            code = encoder(self.x).sum()

            def work():
                code.square().backward()
                try:
                    code.square().backward()
                except RuntimeError as error:
                    twice.append(error)
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            self.assertEqual(len(twice), 1)
        self.assertEqual(self.row(program, "encoder.weight")["reason"], "consumed")

    def test_a_tensor_is_called_as_the_text_that_reads_its_gradient_says(self):
        class Both(torch.nn.Module):
            def __init__(self, part):
                super().__init__()
                self.part = part

        def program():
            part = torch.nn.Linear(4, 1)
            both = Both(part)
            both.part(self.x).sum().backward()
            return {"head.weight": both.part.weight.grad, "grad": part.bias.grad}
        with tapescope.record() as recording:
            program()
        self.assertEqual({row["source"] for row in recording.document()["gradients"]}, {"head.weight", "part.bias"})

    def test_explain_takes_the_tensors_themselves(self):
        with tapescope.record():
            w = torch.nn.Parameter(torch.ones(4, 1))
            loss = (self.x @ w).square().sum()
            loss.backward()
        self.assertEqual(tapescope.explain(loss, w), "The gradient of loss with respect to w has a value.")

    def test_graphs_that_a_transform_keeps_are_not_the_programs(self):
        def program():
            w = torch.nn.Parameter(torch.ones(3))
            for _ in range(3):
                bend = torch.func.hessian(lambda v: (v.exp() * w).sum())(torch.ones(3))
                bend.sum().backward()
            self.found = w.grad
        with tapescope.record() as recording:
            program()
        self.assertEqual(recording.document()["advice"], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
