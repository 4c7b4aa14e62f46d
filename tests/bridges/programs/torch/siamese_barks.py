"""Learns vectors of tree barks from two views without negatives; one side of each pair is held fixed."""

import torch
import torch.nn.functional as F
from torch import nn


class Siamese(nn.Module):
    def __init__(self, inputs=6, dim=5):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(inputs, 8), nn.BatchNorm1d(8), nn.ReLU(inplace=True), nn.Linear(8, dim))
        self.predictor = nn.Sequential(nn.Linear(dim, 4), nn.ReLU(inplace=True), nn.Linear(4, dim))

    def forward(self, first, second):
        a, b = self.encoder(first), self.encoder(second)
        return self.predictor(a), self.predictor(b), a.detach(), b.detach()


def apart(prediction, target):
    return -F.cosine_similarity(prediction, target, dim=1).mean()


def collapse(vectors):
    return F.normalize(vectors, dim=1).std(dim=0).mean().item()


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            if p.dim() > 1:
                p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.1 + k).view_as(p))
            elif k not in (2, 3):
                p.copy_(0.1 * torch.cos(torch.arange(float(p.numel()))))
    return module


def train():
    model = settle(Siamese())
    optimizer = torch.optim.SGD([
        {"params": model.encoder.parameters(), "lr": 0.05},
        {"params": model.predictor.parameters(), "lr": 0.1},
    ], momentum=0.9)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.5 ** (step // 2))
    barks = torch.cos(torch.arange(96.0) * 0.5).view(16, 6)
    spread = []
    for epoch in range(3):
        for batch in barks.split(8):
            p, q, a, b = model(batch + 0.05 * torch.sin(9 * batch), batch + 0.05 * torch.cos(7 * batch))
            loss = (apart(p, b) + apart(q, a)) / 2
            for parameter in model.parameters():
                parameter.grad = None
            loss.backward()
            optimizer.step()
            spread.append(collapse(a))
        scheduler.step()
    return {
        "model.encoder.0.weight": model.encoder[0].weight.grad,
        "model.encoder.3.weight": model.encoder[3].weight.grad,
        "model.predictor.2.weight": model.predictor[2].weight.grad,
    }


def broken():
    return train()


if __name__ == "__main__":
    print(broken())
