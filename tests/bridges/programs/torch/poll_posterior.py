"""A Bayesian regression of election polls: a variational posterior over the weights, fitted ward by ward."""
import sys

import torch
from torch import nn
from torch.distributions import Normal, kl_divergence


class BayesianLinear(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.mean = nn.Parameter(torch.linspace(-0.3, 0.3, inputs * outputs).reshape(outputs, inputs))
        self.rho = nn.Parameter(torch.full((outputs, inputs), -2.0))

    def posterior(self):
        return Normal(self.mean, nn.functional.softplus(self.rho))

    def forward(self, x, noise):
        q = self.posterior()
        return x @ (q.loc + q.scale * noise).T

    def divergence(self):
        return kl_divergence(self.posterior(), Normal(0.0, 1.0)).sum()


class PollModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = BayesianLinear(5, 6)
        self.out = BayesianLinear(6, 1)

    def forward(self, survey, noise):
        h = torch.tanh(self.hidden(survey, noise[:30].reshape(6, 5)))
        return self.out(h, noise[30:36].reshape(1, 6)).squeeze(-1)

    def divergence(self):
        return self.hidden.divergence() + self.out.divergence()


def wards(count=3, people=8):
    for ward in range(count):
        survey = torch.sin(torch.arange(people * 5).reshape(people, 5) * (0.3 + ward))
        yield survey, survey.sum(1) * 0.2, torch.cos(torch.arange(36.0) * (ward + 1))


def fit_ahead(model, optimizer):
    complexity = model.divergence() / 100  #~
    for survey, share, noise in wards():
        error = (model(survey, noise) - share).square().mean()
        loss = error + complexity  #!
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def fit_each(model, optimizer):
    for survey, share, noise in wards():
        error = (model(survey, noise) - share).square().mean()
        loss = error + model.divergence() / 100
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def infer(fit):
    model = PollModel()
    fit(model, torch.optim.Adam(model.parameters(), lr=0.01))
    return {"model.hidden.mean": model.hidden.mean.grad, "model.hidden.rho": model.hidden.rho.grad}


def broken():
    return infer(fit_ahead)


def fixed():
    return infer(fit_each)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
