"""Kriging of ore grades: length and noise of a Gaussian process by its marginal likelihood."""
import sys

import torch


class Kriging(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.log_length = torch.nn.Parameter(torch.tensor(0.2))
        self.log_noise = torch.nn.Parameter(torch.tensor(-1.0))
        self.mean = torch.nn.Parameter(torch.tensor(0.4))

    def covariance(self, sites):
        square = (sites.unsqueeze(0) - sites.unsqueeze(1)).square().sum(-1)
        return torch.exp(-0.5 * square / torch.exp(2 * self.log_length))  #~

    def likelihood(self, covariance, grades):
        noisy = covariance + self.log_noise.exp() * torch.eye(len(grades))  #!
        factor = torch.linalg.cholesky(noisy)
        residual = (grades - self.mean).unsqueeze(1)
        white = torch.linalg.solve_triangular(factor, residual, upper=False)
        return -0.5 * white.square().sum() - factor.diagonal().log().sum()


def drill_holes():
    sites = torch.stack([torch.arange(7) * 0.5, torch.sin(torch.arange(7) * 1.1)], dim=1)
    return sites, 0.4 + 0.2 * torch.cos(sites.sum(1))


def fit_once(model, sites, grades, epochs):
    covariance = model.covariance(sites)  #~
    for _ in range(epochs):
        yield lambda: -model.likelihood(covariance, grades)  #~


def fit_anew(model, sites, grades, epochs):
    for _ in range(epochs):
        yield lambda: -model.likelihood(model.covariance(sites), grades)


def fit(losses):
    model = Kriging()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for loss_of in losses(model, *drill_holes(), epochs=4):
        optimizer.zero_grad()
        loss_of().backward()
        optimizer.step()
    return {"model.log_length": model.log_length.grad, "model.log_noise": model.log_noise.grad}


def broken():
    return fit(fit_once)


def fixed():
    return fit(fit_anew)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
