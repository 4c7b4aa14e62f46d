"""Hums of beehives: a pretrained encoder gets low-rank adapters; only these and the head are to be tuned."""
import dataclasses
import math
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclasses.dataclass
class Config:
    bands: int = 6
    width: int = 8
    rank: int = 2
    alpha: float = 4.0
    epochs: int = 2
    lr: float = 1e-2


class LowRank(nn.Module):
    def __init__(self, base, rank, alpha):
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.empty(rank, base.in_features))
        self.up = nn.Parameter(torch.full((base.out_features, rank), 0.01))
        self.scale = alpha / rank
        nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))

    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.down.t() @ self.up.t())


class Encoder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.first = nn.Linear(cfg.bands, cfg.width)
        self.second = nn.Linear(cfg.width, cfg.width)
        self.norm = nn.LayerNorm(cfg.width)

    def forward(self, hum):
        return self.norm(torch.nn.functional.gelu(self.second(torch.tanh(self.first(hum)))))


class Detector(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.encoder = Encoder(cfg)
        self.head = nn.Linear(cfg.width, 2)

    def forward(self, hum):
        return self.head(self.encoder(hum))


def inject(module, rank, alpha):
    for name, child in list(module.named_children()):
        if isinstance(child, nn.Linear):
            setattr(module, name, LowRank(child, rank, alpha))
        else:
            inject(child, rank, alpha)


def freeze(module):
    for parameter in module.parameters():
        parameter.requires_grad_(False)  #!


def hums():
    data = torch.sin(torch.arange(96.0) * 0.7).view(16, 6)
    return DataLoader(TensorDataset(data, (data.sum(1) > 0).long()), batch_size=4)


def tune(prepare):
    torch.manual_seed(0)
    cfg = Config()
    model = Detector(cfg)
    prepare(model, cfg)
    optimizer = torch.optim.AdamW([p for p in model.parameters()], lr=cfg.lr)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, cfg.epochs)
    for _ in range(cfg.epochs):
        for hum, queenless in hums():
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(hum), queenless)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        schedule.step()
    return {
        "model.encoder.first.down": model.encoder.first.down.grad,
        "model.encoder.second.up": model.encoder.second.up.grad,
        "model.head.weight": model.head.weight.grad,
    }


def broken():
    def prepare(model, cfg):
        inject(model.encoder, cfg.rank, cfg.alpha)
        freeze(model.encoder)  #~

    return tune(prepare)


def fixed():
    def prepare(model, cfg):
        freeze(model.encoder)
        inject(model.encoder, cfg.rank, cfg.alpha)

    return tune(prepare)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
