"""Accumulates gradients over small batches of a bakery's orders, in bfloat16 where that is safe."""
import sys

import torch
from torch import nn


class Orders(nn.Module):
    def __init__(self):
        super().__init__()
        self.goods = nn.Embedding(8, 4, padding_idx=0)
        self.encode = nn.GRU(4, 5, batch_first=True)
        self.price = nn.Linear(5, 1)
        with torch.no_grad():
            for k, p in enumerate(self.parameters()):
                p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.5 + k).view_as(p))
            self.goods.weight[0] = 0

    def forward(self, baskets):
        _, last = self.encode(self.goods(baskets))
        return self.price(last[-1]).squeeze(1)


def baskets(k):
    found = (torch.arange(12).view(3, 4) * (k + 2)) % 8
    return found, found.sum(1).float() * 0.1


def train():
    orders = Orders()
    optimizer = torch.optim.SGD([{"params": orders.goods.parameters(), "lr": 0.02}, {"params": orders.encode.parameters()},
                                 {"params": orders.price.parameters()}], lr=0.05)
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    spent = 0.0
    for k in range(6):
        goods, price = baskets(k)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            found = orders(goods)
        loss = (found.float() - price).abs().mean() / 2
        scaler.scale(loss).backward()
        spent += loss.item()
        if k % 2:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(orders.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            if k < 5:
                optimizer.zero_grad(set_to_none=True)
    return {"orders.goods.weight": orders.goods.weight.grad, "orders.price.weight": orders.price.weight.grad}


def broken():
    return train()


if __name__ == "__main__":
    print(broken())
