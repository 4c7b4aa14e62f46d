"""Chooses one of several boats per crossing by Gumbel softmax; the choice is hard, the gradient is not."""
import torch
import torch.nn.functional as F
from torch import nn


class Boats(nn.Module):
    def __init__(self, boats=3, inputs=4):
        super().__init__()
        self.prefer = nn.Linear(inputs, boats)
        self.speed = nn.Parameter(torch.linspace(0.5, 1.5, boats))
        self.register_buffer("temperature", torch.tensor(1.0))
        self.register_buffer("used", torch.zeros(boats))

    def forward(self, crossing):
        choice = F.gumbel_softmax(self.prefer(crossing), tau=self.temperature.item(), hard=True)
        with torch.no_grad():
            self.used += F.one_hot(choice.argmax(dim=1), 3).sum(dim=0)
        return choice @ self.speed

    @torch.no_grad()
    def cool(self, factor):
        self.temperature.mul_(factor).clamp_(min=0.3)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.prefer.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train():
    torch.manual_seed(11)
    model = settle(Boats())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    crossings = torch.cos(torch.arange(64.0) * 0.4).view(16, 4)
    wanted = 0.5 + torch.sigmoid(crossings.sum(dim=1))
    best = float("inf")
    for epoch in range(4):
        loss = F.mse_loss(model(crossings), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.cool(0.8)
        best = min(best, loss.item())
    return {"model.prefer.weight": model.prefer.weight.grad, "model.speed": model.speed.grad}


def broken():
    return train()


if __name__ == "__main__":
    print(broken())
