"""Denoises long exposures of the sky; an average of the weights is kept for the evaluation."""
import copy
import sys

import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(1, 6, 3, padding=1)
        self.middle = nn.Conv2d(6, 6, 3, padding=1)
        self.up = nn.Conv2d(6, 1, 3, padding=1)

    def forward(self, exposure):
        hidden = torch.relu(self.down(exposure))
        return exposure - self.up(torch.relu(self.middle(hidden)))


class Trainer:
    def __init__(self, decay=0.9):
        torch.manual_seed(6)
        self.model = Denoiser()
        self.average = copy.deepcopy(self.model)  #!
        self.decay = decay
        self.active = self.model
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=2e-3)

    @torch.no_grad()
    def blend(self):
        for kept, new in zip(self.average.parameters(), self.model.parameters()):
            kept.mul_(self.decay).add_(new, alpha=1 - self.decay)

    def evaluate(self, noisy, clean):
        self.active = self.average  #~
        with torch.no_grad():
            residual = self.active(noisy) - clean
        return residual.square().mean().item()

    def step(self, noisy, clean):
        self.optimizer.zero_grad()
        loss = (self.active(noisy) - clean).abs().mean()  #~
        loss.backward()
        self.optimizer.step()
        self.blend()
        return loss.detach()


class CarefulTrainer(Trainer):
    def evaluate(self, noisy, clean):
        error = super().evaluate(noisy, clean)
        self.active = self.model
        return error


def sky(night, size=10):
    place = torch.arange(2 * size * size, dtype=torch.float32).reshape(2, 1, size, size)
    clean = torch.exp(-((place % size - 4) ** 2) / 8)
    return clean + 0.2 * torch.sin(place * 7.3 + night), clean


def nights(kind):
    trainer = kind()
    errors = [trainer.evaluate(*sky(9))]
    for night in range(3):
        loss = trainer.step(*sky(night))
        errors.append(loss.item())
    model = trainer.model
    return {"model.down.weight": model.down.weight.grad, "model.up.weight": model.up.weight.grad}


def broken():
    return nights(Trainer)


def fixed():
    return nights(CarefulTrainer)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
