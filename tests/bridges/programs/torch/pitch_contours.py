"""A voice converter that must keep the melody: the correlation of each contour with the speaker's enters the loss."""
import sys

import torch
from torch import nn


class ContourNet(nn.Module):
    def __init__(self, hidden=10):
        super().__init__()
        self.rnn = nn.GRU(2, hidden, batch_first=True)
        self.pitch = nn.Linear(hidden, 1)

    def forward(self, frames, voiced):
        states, _ = self.rnn(frames)
        return self.pitch(states).squeeze(-1) * voiced


def correlation(a, b):
    a = a - a.mean(dim=1, keepdim=True)
    b = b - b.mean(dim=1, keepdim=True)
    shared = (a * b).sum(dim=1)
    return shared / (a.norm(dim=1) * b.norm(dim=1))  #!


def steady_correlation(a, b):
    a = a - a.mean(dim=1, keepdim=True)
    b = b - b.mean(dim=1, keepdim=True)
    shared = (a * b).sum(dim=1)
    return shared / (a.norm(dim=1) * b.norm(dim=1) + 1e-6)


def sentences(count=4, frames=9):
    energy = torch.sin(torch.arange(count * frames * 2).reshape(count, frames, 2) * 0.4)
    voiced = (torch.arange(count * frames).reshape(count, frames) % 3 > 0).float()
    voiced[2] = 0.0  # a whisper
    return energy, voiced, voiced * (1 + 0.3 * torch.cos(torch.arange(count * frames) * 0.5).reshape(count, frames))


def train(similarity, steps=2):
    torch.manual_seed(3)
    net = ContourNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    frames, voiced, pitch = sentences()
    for _ in range(steps):
        contour = net(frames, voiced)
        reconstruction = (contour - pitch).abs().mean()
        melody = 1 - similarity(contour, pitch).mean()
        loss = reconstruction + 0.2 * melody
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
    return {"net.pitch.weight": net.pitch.weight.grad}


def broken():
    return train(correlation)


def fixed():
    return train(steady_correlation)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
