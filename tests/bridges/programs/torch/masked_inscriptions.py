"""Masked signs of inscriptions are guessed by a small transformer; only masked places count in the loss."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

IGNORE, MASK = -100, 14


class Inscriptions(Dataset):
    def __init__(self, every, count=12, length=6):
        self.signs = (torch.arange(count * length).view(count, length) * 3) % 14
        self.every = every

    def __len__(self):
        return len(self.signs)

    def __getitem__(self, index):
        signs = self.signs[index].clone()
        labels = torch.full_like(signs, IGNORE)
        if index % 8 < self.every:
            places = torch.tensor([index % 6, (index + 2) % 6])
            labels[places] = signs[places]
            signs[places] = MASK
        return signs, labels


class Guesser(nn.Module):
    def __init__(self, signs=15, width=8):
        super().__init__()
        self.embed = nn.Embedding(signs, width)
        self.place = nn.Parameter(torch.zeros(6, width))
        layer = nn.TransformerEncoderLayer(width, 2, 16, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.head = nn.Linear(width, signs)
        self.head.weight = self.embed.weight

    def forward(self, signs):
        return self.head(self.encoder(self.embed(signs) + self.place))


def masked_loss(logits, labels):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=IGNORE)  #!


def train(every):
    torch.manual_seed(25)
    model = Guesser()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.98))
    warm = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 3))
    for signs, labels in DataLoader(Inscriptions(every), batch_size=4):
        optimizer.zero_grad()
        loss = masked_loss(model(signs), labels)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        warm.step()
    return {"model.embed.weight": model.embed.weight.grad}


def broken():
    return train(every=4)


def fixed():
    return train(every=8)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
