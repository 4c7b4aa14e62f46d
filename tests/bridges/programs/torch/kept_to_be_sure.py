"""A variational model of textiles: two losses whose gradients a balancing class adds up."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Textile(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(6, 4)
        self.decode = nn.Linear(2, 6)

    def forward(self, cloth, noise):
        mean, log_var = self.encode(cloth).chunk(2, dim=-1)
        code = mean + noise * (0.5 * log_var).exp()
        return self.decode(code), mean, log_var


class Balance:
    def __init__(self, optimizer, beta=0.1):
        self.optimizer, self.beta = optimizer, beta

    def back(self, loss):
        loss.backward(retain_graph=True)  #!

    def step(self, rebuilt, cloth, mean, log_var):
        divergence = 0.5 * (mean.square() + log_var.exp() - 1.0 - log_var).sum(dim=1).mean()
        self.optimizer.zero_grad()
        self.back(F.mse_loss(rebuilt, cloth) + self.beta * divergence)
        self.optimizer.step()


class OnceBalance(Balance):
    def back(self, loss):
        loss.backward()


def train(kind):
    model = Textile()
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 1.3 + k).view_as(p))
    balance = kind(torch.optim.Adam(model.parameters(), lr=1e-3))
    for step in range(5):
        cloth = torch.sin(torch.arange(30.0).view(5, 6) * 0.4 + step)
        noise = torch.cos(torch.arange(10.0).view(5, 2) + step)
        rebuilt, mean, log_var = model(cloth, noise)
        balance.step(rebuilt, cloth, mean, log_var)
    return {"model.encode.weight": model.encode.weight.grad, "model.decode.weight": model.decode.weight.grad}


def broken():
    return train(Balance)


def fixed():
    return train(OnceBalance)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
