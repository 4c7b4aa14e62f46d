"""Counts of claims per policy, a Poisson regression with exposure; features as the office keeps them."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ClaimRate(nn.Module):
    def __init__(self, features=4):
        super().__init__()
        self.linear = nn.Linear(features, 1)
        nn.init.constant_(self.linear.weight, 0.01)
        nn.init.zeros_(self.linear.bias)

    def forward(self, policy, exposure):
        score = self.linear(policy).squeeze(-1)
        return exposure * torch.exp(score)  #!


def deviance(rate, claims):
    return (rate - claims * torch.log(rate + 1e-8)).mean()


def portfolio(count=16):
    index = torch.arange(count, dtype=torch.float32)
    policy = torch.stack([18 + index * 2, index % 4, 4000 + 900 * index, 1990 + index], 1)
    return policy, 0.5 + (index % 3) * 0.25, index % 2


def standardised(policy):
    return (policy - policy.mean(0)) / policy.std(0)


def fit(prepare, epochs=2):
    policy, exposure, claims = portfolio()
    model = ClaimRate()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    loader = DataLoader(TensorDataset(prepare(policy), exposure, claims), batch_size=8)
    history = []
    for _ in range(epochs):
        for batch, years, counted in loader:
            loss = deviance(model(batch, years), counted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        history.append(loss.item())
    return {"model.linear.weight": model.linear.weight.grad}


def broken():
    return fit(lambda policy: policy)


def fixed():
    return fit(standardised)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
