"""Costs of deliveries; a smoothed loss is shown, and stands as the baseline of the next weights."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Meter:
    def __init__(self, decay=0.9):
        self.decay, self.value = decay, 0.0

    def value_of(self, loss):
        return loss

    def update(self, loss):
        self.value = self.decay * self.value + (1 - self.decay) * self.value_of(loss)  #!
        return self.value


class NumberMeter(Meter):
    def value_of(self, loss):
        return loss.detach()


class Costs(nn.Module):
    def __init__(self, towns=5, width=4):
        super().__init__()
        self.towns = nn.Embedding(towns, width)
        self.net = nn.Sequential(nn.Linear(2 * width + 1, 8), nn.Mish(), nn.Linear(8, 1))

    def forward(self, start, end, load):
        x = torch.cat([self.towns(start), self.towns(end), load.unsqueeze(1)], 1)
        return self.net(x).squeeze(1)


class Logger:
    def __init__(self, every=4):
        self.every, self.lines = every, []

    def __call__(self, step, meter):
        if step % self.every == 0:
            self.lines.append(f"step {step}: {float(meter.value):.3f}")


def deliveries(count=32):
    k = torch.arange(count)
    load = torch.sin(k * 0.3)
    return TensorDataset(k % 5, (k * 2 + 1) % 5, load, load.abs() + (k % 5).float() / 5)


def train(kind):
    torch.manual_seed(32)
    model, meter, log = Costs(), kind(), Logger()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    loader = DataLoader(deliveries(), batch_size=4)
    step = 0
    for _ in range(2):
        for start, end, load, cost in loader:
            loss = F.smooth_l1_loss(model(start, end, load), cost)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            meter.update(loss)
            log(step, meter)
            step += 1
    return {"model.towns.weight": model.towns.weight.grad}


def broken():
    return train(Meter)


def fixed():
    return train(NumberMeter)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
