"""A hypernetwork writes the weights of a small controller from the payload that the arm carries."""
import sys

import torch
from torch import nn
from torch.func import functional_call
from torch.nn.utils import vector_to_parameters


class Controller(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 5)
        self.outer = nn.Linear(5, 2)

    def forward(self, state):
        return self.outer(torch.tanh(self.inner(state)))


class HyperNetwork(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, size))

    def forward(self, payload):
        return 0.3 * self.body(payload)


class AdaptiveArm(nn.Module):
    def __init__(self):
        super().__init__()
        self.controller = Controller()
        self.sizes = [(name, p.shape, p.numel()) for name, p in self.controller.named_parameters()]
        self.hyper = HyperNetwork(sum(count for _, _, count in self.sizes))
        self.gain = nn.Parameter(torch.ones(2))


class WritingArm(AdaptiveArm):
    def forward(self, payload, state):
        vector_to_parameters(self.hyper(payload), self.controller.parameters())  #!
        return self.gain * self.controller(state)


class CallingArm(AdaptiveArm):
    def forward(self, payload, state):
        parts = self.hyper(payload).split([count for _, _, count in self.sizes])
        weights = {name: part.view(shape) for (name, shape, _), part in zip(self.sizes, parts)}
        return self.gain * functional_call(self.controller, weights, (state,))


def tasks():
    for mass in (0.5, 1.0, 2.0):
        payload = torch.tensor([mass, mass * 0.1, 1.0])
        state = torch.sin(torch.arange(24.0).reshape(6, 4) * mass)
        yield payload, state, torch.stack([state.sum(1) / mass, state[:, 0] * mass], 1)


def learn(kind, rounds=2):
    torch.manual_seed(0)
    arm = kind()
    learned = [*arm.hyper.parameters(), arm.gain]
    optimizer = torch.optim.Adam(learned, lr=3e-3)
    for _ in range(rounds):
        for payload, state, torque in tasks():
            loss = nn.functional.mse_loss(arm(payload, state), torque)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(learned, 5.0)
            optimizer.step()
    return {"arm.hyper.body.0.weight": arm.hyper.body[0].weight.grad, "arm.gain": arm.gain.grad}


def broken():
    return learn(WritingArm)


def fixed():
    return learn(CallingArm)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
