"""Rare birds count more: weighted loss under autocast, with a GradScaler as on the machine with a GPU."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler


class Calls(nn.Module):
    def __init__(self, species=3):
        super().__init__()
        self.filters = nn.Conv1d(1, 4, 5, stride=2)
        self.norm = nn.BatchNorm1d(4)
        self.head = nn.Linear(4, species)

    def forward(self, wave):
        x = F.relu(self.norm(self.filters(wave)))
        return self.head(x.mean(2))


class Criterion:
    def __init__(self, rarity):
        self.rarity = rarity

    def __call__(self, logits, species):
        losses = F.cross_entropy(logits, species, reduction="none")
        return losses * self.rarity[species]  #!


class MeanCriterion(Criterion):
    def __call__(self, logits, species):
        losses = F.cross_entropy(logits, species, reduction="none")
        return (losses * self.rarity[species]).sum() / self.rarity[species].sum()


def loader():
    waves = torch.sin(torch.arange(18 * 20.0) * 0.05).view(18, 1, 20)
    species = torch.arange(18) % 3
    sampler = WeightedRandomSampler([1.0] * 18, 12, generator=torch.Generator().manual_seed(0))
    return DataLoader(TensorDataset(waves, species), batch_size=6, sampler=sampler)


def train(criterion):
    torch.manual_seed(17)
    model = Calls()
    loss_of = criterion(torch.tensor([1.0, 2.0, 5.0]))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    scaler = torch.amp.GradScaler("cpu", enabled=torch.cuda.is_available())
    rate = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=8)
    for _ in range(2):
        for wave, species in loader():
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = model(wave)
            loss = loss_of(logits.float(), species)
            scaler.scale(loss).backward()  #~
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            scaler.step(optimizer)
            scaler.update()
            rate.step()
    return {"model.head.weight": model.head.weight.grad}


def broken():
    return train(Criterion)


def fixed():
    return train(MeanCriterion)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
