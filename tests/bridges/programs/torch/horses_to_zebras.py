"""Turns horses into zebras: two translators, two judges, a pool of older pictures for the judges."""
import itertools
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Pool:
    """Keeps the last pictures so that a judge sees older ones as well."""

    def __init__(self, size=4):
        self.size, self.kept = size, []

    def query(self, pictures):
        self.kept.extend(p.unsqueeze(0) for p in pictures.data)  #!
        self.kept = self.kept[-self.size :]
        return torch.cat(self.kept[-len(pictures) :])


def translator():
    return nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.InstanceNorm2d(6), nn.ReLU(), nn.Conv2d(6, 3, 3, padding=1), nn.Tanh())


def judge():
    return nn.Sequential(nn.Conv2d(3, 6, 3, stride=2), nn.LeakyReLU(0.2), nn.Conv2d(6, 1, 2))


def least_squares(scores, real):
    return F.mse_loss(scores, torch.full_like(scores, float(real)))


class Trainer:
    def __init__(self, stripes, plain):
        self.stripes, self.plain = stripes, plain
        self.zebra_judge, self.horse_judge = judge(), judge()
        self.zebras, self.horses = Pool(), Pool()
        makers = itertools.chain(stripes.parameters(), plain.parameters())
        judges = itertools.chain(self.zebra_judge.parameters(), self.horse_judge.parameters())
        self.makes = torch.optim.Adam(makers, lr=2e-4, betas=(0.5, 0.999))
        self.judges = torch.optim.Adam(judges, lr=2e-4, betas=(0.5, 0.999))

    def step(self, horse, zebra):
        fake_zebra, fake_horse = self.stripes(horse), self.plain(zebra)
        self.maker_step(horse, zebra, fake_zebra, fake_horse)
        old_zebra, old_horse = self.zebras.query(fake_zebra), self.horses.query(fake_horse)
        self.judges.zero_grad()
        loss = least_squares(self.zebra_judge(zebra), 1) + least_squares(self.zebra_judge(old_zebra), 0)
        loss = loss + least_squares(self.horse_judge(horse), 1) + least_squares(self.horse_judge(old_horse), 0)
        (loss / 2).backward()
        self.judges.step()

    def maker_step(self, horse, zebra, fake_zebra, fake_horse):
        self.makes.zero_grad()
        seen = self.zebras.query(fake_zebra)  #~
        loss = least_squares(self.zebra_judge(seen), 1) + least_squares(self.horse_judge(fake_horse), 1)
        loss.backward()
        self.makes.step()


class DirectTrainer(Trainer):
    def maker_step(self, horse, zebra, fake_zebra, fake_horse):
        self.makes.zero_grad()
        loss = least_squares(self.zebra_judge(fake_zebra), 1) + least_squares(self.horse_judge(fake_horse), 1)
        loss.backward()
        self.makes.step()


def train(kind):
    torch.manual_seed(7)
    stripes, plain = translator(), translator()
    trainer = kind(stripes, plain)
    for k in range(3):
        wave = torch.sin(torch.arange(384.0) * 0.1 + k).view(2, 1, 3, 8, 8)
        trainer.step(wave[0], wave[1])
    return {"stripes.0.weight": stripes[0].weight.grad, "plain.0.weight": plain[0].weight.grad}


def broken():
    return train(Trainer)


def fixed():
    return train(DirectTrainer)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
