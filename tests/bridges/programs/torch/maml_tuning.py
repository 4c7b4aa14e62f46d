"""Meta-learning of a wind gauge: the weight of each sample in the inner loss is learned."""
import sys

import torch
from torch import nn


class Gauge(nn.Module):
    def __init__(self):
        super().__init__()
        self.slope = nn.Parameter(torch.tensor([0.5, -0.3]))
        self.offset = nn.Parameter(torch.tensor(0.1))

    def forward(self, reading, slope=None, offset=None):
        slope = self.slope if slope is None else slope
        offset = self.offset if offset is None else offset
        return reading @ slope + offset


class Task:
    def __init__(self, phase):
        angles = torch.arange(8.0).view(4, 2) + phase
        self.support, self.query = torch.sin(angles), torch.cos(angles)
        self.support_speed, self.query_speed = self.support.sum(1), self.query.sum(1) * 0.8


class MetaLearner:
    def __init__(self, second_order):
        self.gauge = Gauge()
        self.importance = torch.zeros(4, requires_grad=True)
        self.second_order = second_order

    def adapt(self, task, rate=0.1):
        error = self.gauge(task.support) - task.support_speed
        inner = (self.importance.exp() * error.square()).mean()
        wanted = (self.gauge.slope, self.gauge.offset)
        grads = torch.autograd.grad(inner, wanted, create_graph=self.second_order)  #!
        return [value - rate * grad for value, grad in zip(wanted, grads)]

    def outer(self, tasks):
        total = torch.zeros(())
        for task in tasks:
            slope, offset = self.adapt(task)
            total = total + (self.gauge(task.query, slope, offset) - task.query_speed).square().mean()
        return total / len(tasks)


def meta_train(second_order):
    learner = MetaLearner(second_order)
    gauge, importance = learner.gauge, learner.importance
    optimizer = torch.optim.Adam([*gauge.parameters(), importance], lr=0.01)
    for step in range(2):
        optimizer.zero_grad()
        learner.outer([Task(0.3 * step), Task(1.0)]).backward()
        optimizer.step()
    return {"importance": importance.grad, "gauge.slope": gauge.slope.grad}


def broken():
    return meta_train(second_order=False)


def fixed():
    return meta_train(second_order=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
