"""Predicts the hardness of stones; the scale of the answers is taken from an untrained pass."""
import torch
import torch.nn.functional as F
from torch import nn


class Hardness(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.inner = nn.Linear(4, width)
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, 1)
        self.register_buffer("scale", torch.ones(()))

    def forward(self, stones):
        return self.out(F.gelu(self.norm(self.inner(stones)))).squeeze(1)


def fit_scale(model, answers, hardness):
    model.scale.copy_(hardness.std() / answers.detach().std())


def train(rounds=4):
    torch.manual_seed(47)
    model = Hardness()
    stones = torch.sin(torch.arange(48.0) * 0.37).view(12, 4)
    hardness = stones.square().sum(1)
    fit_scale(model, model(stones), hardness)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    for _ in range(rounds):
        optimizer.zero_grad()
        loss = F.mse_loss(model.scale * model(stones), hardness)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    return model


def broken():
    model = train()
    return {"model.inner.weight": model.inner.weight.grad, "model.out.weight": model.out.weight.grad}


if __name__ == "__main__":
    print(broken())
