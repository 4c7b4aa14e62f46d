"""Dates old letters: GRU over packed sequences, with a learned first state for each writer."""
import sys

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader


def letters():
    for i in range(12):
        length = 2 + i % 4
        yield torch.arange(i, i + length) % 11, i % 3, torch.tensor(float(i) / 12)


def collate(batch):
    batch.sort(key=lambda one: len(one[0]), reverse=True)
    words, writers, dates = zip(*batch)
    lengths = torch.tensor([len(w) for w in words])
    return pad_sequence(words, batch_first=True), lengths, torch.tensor(writers), torch.stack(dates)


class Reader(nn.Module):
    def __init__(self, words=11, writers=3, width=6):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.writers = nn.Embedding(writers, width)
        self.gru = nn.GRU(width, width, batch_first=True)
        self.weigh = nn.Linear(width, 1)
        self.out = nn.Linear(width, 1)

    def first_state(self, writers):
        table = self.writers.weight.data  #!
        return table[writers].unsqueeze(0)

    def forward(self, words, lengths, writers):
        packed = pack_padded_sequence(self.words(words), lengths, batch_first=True)
        out, last = self.gru(packed, self.first_state(writers))
        share = torch.sigmoid(self.weigh(out.data)).mean()
        return self.out(last[-1]).squeeze(1) * share


class LearnedReader(Reader):
    def first_state(self, writers):
        return self.writers(writers).unsqueeze(0)


def train(kind):
    torch.manual_seed(2)
    reader = kind()
    optimizer = torch.optim.RMSprop(reader.parameters(), lr=1e-3)
    loader = DataLoader(list(letters()), batch_size=4, collate_fn=collate)
    losses = []
    for _ in range(2):
        for words, lengths, writers, dates in loader:
            optimizer.zero_grad()
            loss = nn.functional.smooth_l1_loss(reader(words, lengths, writers), dates)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return {
        "reader.writers.weight": reader.writers.weight.grad,
        "reader.words.weight": reader.words.weight.grad,
        "reader.weigh.weight": reader.weigh.weight.grad,
    }


def broken():
    return train(Reader)


def fixed():
    return train(LearnedReader)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
