"""Detects birds in clips of a marsh: each window gets a score, and the learned score of silence competes with them."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Detector(nn.Module):
    def __init__(self, bands=4, width=6):
        super().__init__()
        self.windows = nn.Conv1d(bands, width, 3, padding=1)
        self.score = nn.Conv1d(width, 1, 1)
        self.silence = nn.Parameter(torch.tensor(-3.0))

    def window_scores(self, clip):
        return self.score(F.gelu(self.windows(clip))).squeeze(1)

    def with_silence(self, clip):
        scores = self.window_scores(clip)
        return torch.cat([scores, self.silence.expand(len(clip), 1)], dim=1)


class Loudest(Detector):
    def forward(self, clip):
        return self.with_silence(clip).amax(dim=1)  #!


class Soft(Detector):
    def forward(self, clip):
        return torch.logsumexp(self.with_silence(clip), dim=1)


def fit(kind, epochs=2):
    detector = kind()
    with torch.no_grad():
        for k, (name, p) in enumerate(detector.named_parameters()):
            if name != "silence":
                p.copy_(0.3 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    optimizer = torch.optim.Adam(detector.parameters(), lr=1e-3)
    clips = torch.sin(torch.arange(5 * 4 * 12.0).view(5, 4, 12) * 0.21)
    heard = torch.tensor([1.0, 0.0, 1.0, 0.0, 0.0])
    for _ in range(epochs):
        optimizer.zero_grad()
        F.binary_cross_entropy_with_logits(detector(clips), heard).backward()
        optimizer.step()
    return {"detector.silence": detector.silence.grad, "detector.score.weight": detector.score.weight.grad}


def broken():
    return fit(Loudest)


def fixed():
    return fit(Soft)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
