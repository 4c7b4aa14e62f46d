"""Meta-learning for wood carvings: each task solves a ridge regression on features that all tasks share."""
import sys

import torch
from torch import nn


class RidgeSolver(nn.Module):
    """A closed-form head with a learned penalty."""

    def __init__(self):
        super().__init__()
        self.log_penalty = nn.Parameter(torch.tensor(-1.0))

    def solve(self, features, target):
        gram = features.T @ features + self.log_penalty.exp() * torch.eye(features.shape[1])  #!
        return torch.linalg.solve(gram, features.T @ target)

    @torch.no_grad()  #~
    def forward(self, features, target):
        return self.solve(features, target)  #~


class LearningSolver(RidgeSolver):
    def forward(self, features, target):
        return self.solve(features, target)


class MetaLearner(nn.Module):
    def __init__(self, solver):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 3))
        self.solver = solver

    def task_loss(self, support, query):
        weights = self.solver(self.features(support[0]), support[1])  #~
        return (self.features(query[0]) @ weights - query[1]).square().mean()


def tasks(count=3):
    for k in range(count):
        x = torch.sin(torch.arange(40.0) * (0.3 + 0.1 * k)).view(10, 4)
        y = x[:, :1] * (k + 1) - x[:, 1:2]
        yield (x[:6], y[:6]), (x[6:], y[6:])


def meta_train(solver):
    torch.manual_seed(12)
    learner = MetaLearner(solver)
    optimizer = torch.optim.Adam(learner.parameters(), lr=5e-3)
    for _ in range(2):
        optimizer.zero_grad()
        losses = [learner.task_loss(support, query) for support, query in tasks()]
        torch.stack(losses).mean().backward()
        optimizer.step()
    return {
        "learner.solver.log_penalty": learner.solver.log_penalty.grad,
        "learner.features.0.weight": learner.features[0].weight.grad,
    }


def broken():
    return meta_train(RidgeSolver())


def fixed():
    return meta_train(LearningSolver())


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
