"""Adapts a frozen reader to a dialect by low-rank updates, merged into the weights so that calls stay cheap."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class LoRALinear(nn.Module):
    def __init__(self, base, rank=2, alpha=4):
        super().__init__()
        self.base = base
        self.a = nn.Parameter(torch.linspace(-0.3, 0.3, rank * base.in_features).view(rank, -1))
        self.b = nn.Parameter(torch.linspace(0.2, -0.1, base.out_features * rank).view(-1, rank))
        self.scale = alpha / rank
        self.merged = False

    def merge(self):
        self.base.weight.data += self.scale * self.b @ self.a  #!
        self.merged = True

    def forward(self, x):
        if self.merged:
            return self.base(x)
        return F.linear(x, self.base.weight + self.scale * self.b @ self.a, self.base.bias)


def adapt(model):
    for name, child in model.named_children():
        if isinstance(child, nn.Linear) and name != "head":
            setattr(model, name, LoRALinear(child.requires_grad_(False)))
    return model


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(11, 6).requires_grad_(False)
        self.body = nn.Linear(6, 6)
        self.head = nn.Linear(6, 3)

    def forward(self, ids):
        return self.head(torch.tanh(self.body(self.embed(ids))).mean(dim=1))


def finetune(merge):
    torch.manual_seed(0)
    reader = adapt(Reader())
    if merge:
        for module in reader.modules():
            if isinstance(module, LoRALinear):
                module.merge()
    trained = [p for p in reader.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-3)
    ids = (torch.arange(20) * 7 % 11).view(4, 5)
    for _ in range(2):
        loss = F.cross_entropy(reader(ids), torch.tensor([0, 1, 2, 1]), label_smoothing=0.05)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"reader.body.a": reader.body.a.grad, "reader.head.weight": reader.head.weight.grad}


def broken():
    return finetune(merge=True)


def fixed():
    return finetune(merge=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
