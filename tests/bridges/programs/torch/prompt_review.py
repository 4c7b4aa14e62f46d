"""Prompt tuning: a few learned vectors stand before the words of a review."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Prompted(nn.Module):
    def __init__(self, words=11, width=4, prompts=2):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.words.weight.requires_grad = False
        self.prompt = nn.Parameter(torch.zeros(prompts, width))
        layer = nn.TransformerEncoderLayer(width, 2, dim_feedforward=8, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.verdict = nn.Linear(width, 2)

    def start(self, batch):
        return self.prompt.data.unsqueeze(0).expand(batch, -1, -1)  #!

    def forward(self, review):
        start = self.start(len(review))
        sequence = torch.cat([start, self.words(review)], dim=1)
        return self.verdict(self.encoder(sequence).mean(dim=1))


class RightPrompted(Prompted):
    def start(self, batch):
        return self.prompt.unsqueeze(0).expand(batch, -1, -1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(kind):
    model = settle(kind())
    trainable = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(trainable, lr=0.1, momentum=0.9)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 3))
    reviews = torch.tensor([[1, 4, 2], [5, 3, 9], [7, 8, 10], [6, 2, 1]])
    liked = torch.tensor([0, 1, 1, 0])
    for step in range(3):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(reviews), liked)
        loss.backward()
        nn.utils.clip_grad_norm_(trainable, 1.0)
        optimizer.step()
        schedule.step()
    return {"model.prompt": model.prompt.grad, "model.verdict.weight": model.verdict.weight.grad}


def broken():
    return train(Prompted)


def fixed():
    return train(RightPrompted)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
