"""Distils a reader of runes: the small pupil borrows the teacher's letters and is to learn all of its own layers."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Reader(nn.Module):
    def __init__(self, width, letters=None):
        super().__init__()
        self.letters = letters if letters is not None else nn.Embedding(7, 4)
        self.mix = nn.GRU(4, width, batch_first=True)
        self.out = nn.Linear(width, 7)

    def forward(self, runes):
        return self.out(self.mix(self.letters(runes))[0])


def freeze(model):
    for p in model.parameters():
        p.requires_grad = False  #!
    return model.eval()


def lend(teacher):
    return teacher.letters  #~


def copy_of(teacher):
    letters = nn.Embedding(7, 4)
    letters.load_state_dict(teacher.letters.state_dict())
    return letters


def distil(letters_from, temperature=2.0):
    teacher = Reader(6)
    pupil = Reader(3, letters_from(teacher))
    with torch.no_grad():
        for k, p in enumerate([*teacher.parameters(), *pupil.parameters()]):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    freeze(teacher)
    optimizer = torch.optim.AdamW((p for p in pupil.parameters() if p.requires_grad), lr=1e-3)
    runes = torch.arange(20).view(4, 5) % 7
    for step in range(3):
        with torch.no_grad():
            wanted = F.softmax(teacher(runes + 0) / temperature, dim=-1)
        loss = F.kl_div(F.log_softmax(pupil(runes) / temperature, dim=-1), wanted, reduction="batchmean")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"pupil.letters.weight": pupil.letters.weight.grad, "pupil.out.weight": pupil.out.weight.grad}


def broken():
    return distil(lend)


def fixed():
    return distil(copy_of)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
