"""A classifier of letters over word vectors that were trained elsewhere."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Letters(nn.Module):
    def __init__(self, freeze):
        super().__init__()
        vectors = torch.sin(torch.arange(40.0) * 0.3).view(10, 4)
        self.words = nn.Embedding.from_pretrained(vectors, freeze=freeze)  #!
        self.head = nn.Linear(4, 3)

    def forward(self, tokens):
        return self.head(self.words(tokens).mean(1))


def train(freeze):
    torch.manual_seed(0)
    model = Letters(freeze)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    letters = torch.arange(24).view(6, 4) % 10
    labels = torch.arange(6) % 3
    for start in range(0, 6, 2):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(letters[start:start + 2]), labels[start:start + 2])
        loss.backward()
        optimizer.step()
    return {"model.words.weight": model.words.weight.grad, "model.head.weight": model.head.weight.grad}


def broken():
    return train(True)


def fixed():
    return train(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
