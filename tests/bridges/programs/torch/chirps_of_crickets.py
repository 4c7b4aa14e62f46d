"""A Poisson model of the chirps of crickets, with temperature and time of night as inputs."""
import sys

import torch
from torch import nn


class Chirps(nn.Module):
    def __init__(self, crickets=3, hidden=5):
        super().__init__()
        self.hidden = nn.Linear(2, hidden)
        self.out = nn.Linear(hidden, crickets)

    def rates(self, log_rates):
        rates = log_rates.exp()  #~
        rates[log_rates > 1.0] = 2.7  #!
        return rates

    def forward(self, conditions):
        return self.rates(self.out(torch.tanh(self.hidden(conditions))))


class Bounded(Chirps):
    def rates(self, log_rates):
        return torch.where(log_rates > 1.0, torch.full_like(log_rates, 2.7), log_rates.exp())


def nll(rates, counts):
    return nn.functional.poisson_nll_loss(rates, counts, log_input=False)


def nights():
    hours = torch.linspace(0, 3, 10)
    conditions = torch.stack([torch.sin(hours), 0.1 * hours], dim=1)
    return conditions, (torch.arange(30) % 4).float().view(10, 3)


def train(kind, steps=2):
    torch.manual_seed(17)
    model = kind()
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
    conditions, counts = nights()
    try:
        for _ in range(steps):
            optimizer.zero_grad()
            nll(model(conditions), counts).backward()
            optimizer.step()
    finally:
        gradients = {"model.out.weight": model.out.weight.grad, "model.hidden.weight": model.hidden.weight.grad}
    return gradients


def broken():
    return train(Chirps)


def fixed():
    return train(Bounded)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
