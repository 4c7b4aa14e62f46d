"""Recommends books: the score of a pair is the dot product of reader and book."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Library(nn.Module):
    def __init__(self, readers=6, books=9, width=4):
        super().__init__()
        self.readers = nn.Embedding(readers, width)
        self.books = nn.Embedding(books, width)

    def scores(self, u, v):
        found = []
        for k in range(len(u)):
            found.append(torch.dot(u[k], v[k]))  #!
        return torch.stack(found)

    def forward(self, reader, book):
        return self.scores(self.readers(reader), self.books(book))


class Rows(Library):
    def scores(self, u, v):
        return (u * v).sum(dim=1)


def train(kind):
    torch.manual_seed(31)
    library = kind()
    optimizer = torch.optim.Adam(library.parameters(), lr=1e-2)
    reader, book = torch.arange(24) % 6, torch.arange(24) * 5 % 9
    liked = (torch.arange(24) % 3 == 0).float()
    for _ in range(2):
        optimizer.zero_grad()
        F.binary_cross_entropy_with_logits(library(reader, book), liked).backward()
        optimizer.step()
    return {"library.readers.weight": library.readers.weight.grad}


def broken():
    return train(Library)


def fixed():
    return train(Rows)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
