"""Pools the words of a letter with an attention of its own, shifted by the maximum for stability."""
import sys

import torch
from torch import nn


class Pool(nn.Module):
    def __init__(self, hidden=-float("inf")):
        super().__init__()
        self.score = nn.Linear(4, 1)
        self.out = nn.Linear(4, 2)
        self.hidden = hidden

    def weights(self, words, lengths):
        scores = self.score(words).squeeze(-1)
        absent = torch.arange(words.shape[1]) >= lengths.unsqueeze(1)
        scores = scores.masked_fill(absent, self.hidden)
        shifted = scores - scores.amax(dim=1, keepdim=True)  #!
        powers = shifted.exp()
        return powers / powers.sum(dim=1, keepdim=True)

    def forward(self, words, lengths):
        share = self.weights(words, lengths)
        return self.out((share.unsqueeze(-1) * words).sum(dim=1))


def train(hidden):
    torch.manual_seed(23)
    model = Pool(hidden)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    words = torch.sin(torch.arange(48.0) * 0.3).view(3, 4, 4)
    for lengths in ([4, 2, 3], [1, 4, 2], [3, 0, 2]):
        optimizer.zero_grad()
        logits = model(words, torch.tensor(lengths))
        nn.functional.cross_entropy(logits, torch.tensor([0, 1, 0])).backward()
        optimizer.step()
    return {"model.out.weight": model.out.weight.grad, "model.score.weight": model.score.weight.grad}


def broken():
    return train(-float("inf"))


def fixed():
    return train(-1e9)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
