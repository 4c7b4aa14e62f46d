"""A word book for sailors' slang grows when a new term turns up."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class WordBook(nn.Module):
    def __init__(self, terms):
        super().__init__()
        self.terms = {term: i for i, term in enumerate(terms)}
        self.rows = nn.Parameter(torch.sin(torch.arange(4.0 * len(terms))).view(-1, 4))
        self.score = nn.Linear(4, 1)

    def grow(self, term):
        self.terms[term] = len(self.terms)
        fresh = self.rows.detach().mean(0, keepdim=True)
        self.rows = nn.Parameter(torch.cat([self.rows.detach(), fresh]))  #!
        return self

    def forward(self, words):
        return self.score(self.rows[[self.terms[w] for w in words]]).squeeze(1)


def teach(late):
    torch.manual_seed(2)
    book = WordBook(["aft", "bilge", "capstan"])
    sentence = ["aft", "capstan", "aft", "bilge"]
    if not late:
        book = book.grow("davit")
    loss = F.binary_cross_entropy_with_logits(book(sentence), torch.tensor([1.0, 0.0, 1.0, 0.0]))
    loss.backward()
    if late:
        book = book.grow("davit")
    report = {"book.rows": book.rows.grad, "book.score.weight": book.score.weight.grad}
    return report


def broken():
    return teach(late=True)


def fixed():
    return teach(late=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
