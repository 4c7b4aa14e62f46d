"""Tags the words of old letters; padding and words without a tag carry the label -1."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset


class Letters(Dataset):
    def __init__(self, labelled):
        self.labelled = labelled

    def __len__(self):
        return len(self.labelled)

    def __getitem__(self, k):
        length = 3 + k % 3
        words = (torch.arange(length) * 3 + k) % 11 + 1
        tags = words % 4 if self.labelled[k] else torch.full((length,), -1)
        return words, tags


def collate(items):
    words, tags = zip(*items)
    return pad_sequence(words, batch_first=True), pad_sequence(tags, batch_first=True, padding_value=-1)


class Tagger(nn.Module):
    def __init__(self, words=12, dim=6, tags=4):
        super().__init__()
        self.embed = nn.Embedding(words, dim, padding_idx=0)
        self.rnn = nn.GRU(dim, dim, batch_first=True, bidirectional=True)
        self.tag = nn.Linear(2 * dim, tags)

    def forward(self, words):
        states, _ = self.rnn(self.embed(words))
        return self.tag(states)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def tag_loss(scores, tags):
    known = (tags >= 0).float()
    each = F.cross_entropy(scores.transpose(1, 2), tags.clamp(min=0), reduction="none")
    return (each * known).sum() / known.sum()  #!


def train(labelled):
    model = settle(Tagger())
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for words, tags in DataLoader(Letters(labelled), batch_size=2, collate_fn=collate):
        optimizer.zero_grad()
        loss = tag_loss(model(words), tags)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return {"model.tag.weight": model.tag.weight.grad, "model.rnn.weight_hh_l0": model.rnn.weight_hh_l0.grad}


def broken():
    return train([True, True, True, False, False, False])


def fixed():
    return train([True, False, True, False, True, False])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
