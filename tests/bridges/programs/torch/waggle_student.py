"""A small network that reads the waggle dance of bees learns the features of a large one by hints."""
import sys

import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.motion = nn.Conv1d(2, width, 3, padding=1)
        self.project = nn.Conv1d(width, 6, 1)
        self.heading = nn.Linear(6, 2)

    def forward(self, track):
        hidden = self.project(torch.relu(self.motion(track)))
        return self.heading(hidden.mean(-1))


class Tap:
    """Keeps what a layer gave last."""

    def __init__(self, layer):
        self.value = None
        layer.register_forward_hook(self)

    def __call__(self, layer, arguments, result):
        self.value = result


class QuietTap(Tap):
    def __call__(self, layer, arguments, result):
        self.value = result.detach()  #!


def dances(count=6, frames=12):
    time = torch.arange(count * 2 * frames, dtype=torch.float32).reshape(count, 2, frames)
    return torch.sin(time * 0.3)


def distil(tap, steps=3):
    torch.manual_seed(4)
    teacher = Reader(12).eval().requires_grad_(False)
    student = Reader(4)
    hint, copied = Tap(teacher.project), tap(student.project)
    blend = nn.Parameter(torch.ones(6, 1))
    optimizer = torch.optim.Adam([*student.parameters(), blend], lr=1e-3)
    track = dances()
    for _ in range(steps):
        with torch.no_grad():
            teacher(track)
        student(track)
        loss = (blend * copied.value - hint.value.detach()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"student.motion.weight": student.motion.weight.grad, "blend": blend.grad}


def broken():
    return distil(QuietTap)


def fixed():
    return distil(Tap)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
