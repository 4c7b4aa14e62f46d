"""The mood of letters from sea; short ones are filled up with zeros."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pad_sequence


def wrong_way(tokens):
    return tokens.eq(0)


def right_way(tokens):
    return tokens.ne(0)


class Mood(nn.Module):
    def __init__(self, wanted, words=15, width=6):
        super().__init__()
        self.wanted = wanted
        self.words = nn.Embedding(words, width)
        layer = nn.TransformerEncoderLayer(width, 2, 12, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.mood = nn.Linear(width, 2)

    def forward(self, tokens):
        kept = self.wanted(tokens).float()  #~
        states = self.encoder(self.words(tokens))
        pooled = (states * kept[:, :, None]).sum(1)  #!
        return self.mood(pooled / kept.sum(1, keepdim=True).clamp(min=1))


def read(wanted):
    torch.manual_seed(19)
    reader = Mood(wanted)
    letters = [torch.arange(1, 7) + i for i in range(4)]
    tokens = pad_sequence(letters, batch_first=True)
    optimizer = torch.optim.Adam(reader.parameters(), lr=1e-3)
    for _ in range(2):
        optimizer.zero_grad()
        loss = F.cross_entropy(reader(tokens), torch.tensor([0, 1, 0, 1]))
        loss.backward()
        optimizer.step()
    return {"reader.words.weight": reader.words.weight.grad, "reader.mood.bias": reader.mood.bias.grad}


def broken():
    return read(wrong_way)


def fixed():
    return read(right_way)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
