"""Weighs three tasks of an orchard robot by learned uncertainties."""
import sys

import torch
import torch.nn.functional as F
from torch import nn

TASKS = ("ripeness", "branch", "distance")


class Robot(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.eye = nn.Sequential(nn.Linear(6, width), nn.Mish(), nn.Linear(width, width), nn.Mish())
        self.heads = nn.ModuleDict({
            "ripeness": nn.Linear(width, 3),
            "branch": nn.Linear(width, 1),
            "distance": nn.Linear(width, 1),
        })

    def forward(self, view):
        seen = self.eye(view)
        return {task: head(seen) for task, head in self.heads.items()}


class Weighing(nn.Module):
    def __init__(self, tasks=len(TASKS)):
        super().__init__()
        self.log_vars = nn.ParameterList(nn.Parameter(torch.tensor(0.1 * k)) for k in range(tasks))

    def variances(self, losses):
        return losses.new_tensor(list(self.log_vars))  #!

    def forward(self, losses):
        log_vars = self.variances(losses)
        return (losses * torch.exp(-log_vars) + 0.5 * log_vars).sum()


class LearnedWeighing(Weighing):
    def variances(self, losses):
        return torch.stack(list(self.log_vars))


def task_losses(guess, truth):
    return torch.stack([
        F.cross_entropy(guess["ripeness"], truth["ripeness"]),
        F.binary_cross_entropy_with_logits(guess["branch"].squeeze(1), truth["branch"]),
        F.l1_loss(guess["distance"].squeeze(1), truth["distance"]),
    ])


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return module


def train(kind):
    robot, weighing = settle(Robot()), kind()
    optimizer = torch.optim.Adam([
        {"params": robot.parameters(), "lr": 1e-3},
        {"params": weighing.parameters(), "lr": 1e-2},
    ])
    views = torch.cos(torch.arange(54.0) * 0.4).view(9, 6)
    truth = {"ripeness": torch.arange(9) % 3, "branch": (torch.arange(9) % 2).float(), "distance": torch.linspace(0.2, 2, 9)}
    shown = []
    for epoch in range(3):
        losses = task_losses(robot(views), truth)
        loss = weighing(losses)
        shown.append(dict(zip(TASKS, losses.tolist())))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {
        "weighing.log_vars.1": weighing.log_vars[1].grad,
        "robot.heads.branch.weight": robot.heads["branch"].weight.grad,
    }


def broken():
    return train(Weighing)


def fixed():
    return train(LearnedWeighing)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
