"""Contrastive learning of lichens with a momentum encoder and a queue of keys in a buffer."""
import copy

import torch
from torch import nn
import torch.nn.functional as F


class MoCo(nn.Module):
    def __init__(self, dim=4, length=8, momentum=0.9):
        super().__init__()
        self.momentum = momentum
        self.encoder_q = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, dim))
        self.encoder_k = copy.deepcopy(self.encoder_q)
        for p in self.encoder_k.parameters():
            p.requires_grad = False
        self.register_buffer("queue", F.normalize(torch.cos(torch.arange(dim * length * 1.0)).view(dim, length), dim=0))
        self.register_buffer("pointer", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def follow(self):
        for q, k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            k.data = k.data * self.momentum + q.data * (1.0 - self.momentum)

    @torch.no_grad()
    def enqueue(self, keys):
        at = int(self.pointer)
        self.queue[:, at:at + len(keys)] = keys.T
        self.pointer[0] = (at + len(keys)) % self.queue.shape[1]

    def forward(self, one, other):
        q = F.normalize(self.encoder_q(one), dim=1)
        with torch.no_grad():
            self.follow()
            k = F.normalize(self.encoder_k(other), dim=1)
        positive = torch.einsum("nc,nc->n", q, k).unsqueeze(-1)
        negative = torch.einsum("nc,ck->nk", q, self.queue.clone().detach())
        logits = torch.cat([positive, negative], dim=1) / 0.1
        self.enqueue(k)
        return logits, torch.zeros(len(logits), dtype=torch.long)


def broken():
    torch.manual_seed(0)
    moco = MoCo()
    optimizer = torch.optim.SGD(moco.encoder_q.parameters(), lr=0.03, momentum=0.9, weight_decay=1e-4)
    for step in range(4):
        x = torch.sin(torch.arange(24.0) * 0.7 + step).view(4, 6)
        loss = F.cross_entropy(*moco(x + 0.01, x - 0.01))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"moco.encoder_q.0.weight": moco.encoder_q[0].weight.grad, "moco.encoder_q.2.bias": moco.encoder_q[2].bias.grad}


if __name__ == "__main__":
    print(broken())
