"""Finds similar museum pieces; the table of words comes from another project."""
import sys

import torch
from torch import nn


def word_table():
    return torch.sin(torch.arange(40.0)).view(10, 4)


class Catalogue(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.words = nn.Embedding.from_pretrained(word_table(), padding_idx=0, **options)  #!
        self.project = nn.Linear(4, 3)
        nn.init.constant_(self.project.weight, 0.2)
        nn.init.zeros_(self.project.bias)

    def forward(self, titles):
        found = self.words(titles)
        kept = (titles != 0).unsqueeze(-1)
        return self.project((found * kept).sum(1) / kept.sum(1))


def fit(**options):
    catalogue = Catalogue(**options)
    titles = torch.tensor([[1, 2, 0], [3, 4, 5], [6, 0, 0], [7, 8, 9]])
    rooms = torch.tensor([0, 1, 2, 1])
    optimizer = torch.optim.SGD(catalogue.parameters(), lr=0.3, momentum=0.9)
    for _ in range(3):
        optimizer.zero_grad(set_to_none=True)
        nn.functional.cross_entropy(catalogue(titles), rooms).backward()
        optimizer.step()
    return {"catalogue.words.weight": catalogue.words.weight.grad, "catalogue.project.weight": catalogue.project.weight.grad}


def broken():
    return fit()


def fixed():
    return fit(freeze=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
