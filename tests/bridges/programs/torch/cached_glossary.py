"""Terms of a glossary are encoded once and looked up from then on."""
import functools
import sys

import torch
from torch import nn


class Glossary(nn.Module):
    def __init__(self, terms, dim=6):
        super().__init__()
        self.letters = nn.Embedding(26, dim)
        self.mix = nn.Linear(dim, dim)
        self.terms = terms

    @functools.lru_cache(maxsize=None)
    def encode(self, term):
        rows = torch.tensor([ord(letter) - 97 for letter in term])
        return self.mix(self.letters(rows).mean(dim=0))  #~

    def forward(self, pairs):
        left = torch.stack([self.encode(a) for a, _ in pairs])  #!
        right = torch.stack([self.encode(b) for _, b in pairs])  #~
        return torch.cosine_similarity(left, right)


class FreshGlossary(Glossary):
    def encode(self, term):
        rows = torch.tensor([ord(letter) - 97 for letter in term])
        return self.mix(self.letters(rows).mean(dim=0))


PAIRS = [("sail", "mast"), ("sail", "keel"), ("rope", "mast"), ("rope", "knot")]
NEAR = torch.tensor([1.0, 0.0, 0.0, 1.0])


def train(kind):
    torch.manual_seed(3)
    glossary = kind(["sail", "mast", "rope", "knot", "keel"])
    optimizer = torch.optim.Adagrad(glossary.parameters(), lr=0.05)
    for epoch in range(2):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(glossary(PAIRS), NEAR)
        loss.backward()
        optimizer.step()
    return {"glossary.mix.weight": glossary.mix.weight.grad}


broken = lambda: train(Glossary)
fixed = lambda: train(FreshGlossary)
if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
