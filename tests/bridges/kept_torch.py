"""What is said of graphs that are kept and never walked, and what is no reason to say so.

usage: kept_torch.py PACKAGE_FOLDER TAPESCOPE   (with a Python that has PyTorch)
"""
import os
import sys
import unittest

FOLDER, os.environ["TAPESCOPE"] = sys.argv[1:3]
sys.path.insert(0, FOLDER)

import torch  # noqa: E402
import tapescope  # noqa: E402
from torch.nn import functional  # noqa: E402

ROUNDS = 3


def batches():
    return [(torch.sin(torch.arange(12.0) + k).view(4, 3), torch.arange(4) % 2) for k in range(4)]


def joined(model):
    found = []
    for data, _ in batches():
        found.append(model(data))
    return torch.cat(found).argmax(1)


class Kept(unittest.TestCase):
    def said(self, evaluate):
        """Kinds of the alerts and advice after rounds of training with an evaluation after each."""
        model, history = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2)), []
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with tapescope.record(why=True) as recording:
            for _ in range(ROUNDS):
                for data, label in batches():
                    optimizer.zero_grad()
                    functional.cross_entropy(model(data), label).backward()
                    optimizer.step()
                evaluate(model, history)
        document = recording.document()
        return [(entry["kind"], "no_grad" in entry["fix"]) for entry in [*document["alerts"], *document["advice"]]]

    def test_an_evaluation_whose_results_are_joined_keeps_their_graphs(self):
        self.assertEqual(self.said(lambda model, history: joined(model)), [("leak", True)])

    def test_losses_of_evaluations_in_a_list_keep_their_graphs(self):
        self.assertEqual(self.said(lambda model, history: history.append(functional.cross_entropy(model(batches()[0][0] + 1), batches()[0][1]))), [("leak", True)])

    def test_without_gradients_nothing_is_kept(self):
        self.assertEqual(self.said(lambda model, history: torch.no_grad()(joined)(model)), [])

    def test_what_an_episode_collects_is_walked_at_its_end(self):
        actor, critic = torch.nn.Linear(3, 2), torch.nn.Linear(3, 1)
        actors, critics = (torch.optim.SGD(model.parameters(), lr=0.1) for model in (actor, critic))
        with tapescope.record(why=True) as recording:
            for _ in range(ROUNDS):
                scores = []
                for data, _ in batches():
                    scores.append(torch.log_softmax(actor(data), 1)[:, 0].mean())
                    critics.zero_grad()
                    critic(data).square().mean().backward()
                    critics.step()
                actors.zero_grad()
                torch.stack(scores).sum().backward()
                actors.step()
        document = recording.document()
        self.assertEqual([entry["kind"] for entry in [*document["alerts"], *document["advice"]]], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
