"""A variational model of scents whose prior is learned; encoder and decoder are built apart."""
import itertools
import sys

import torch
from torch import nn


class Scents:
    def __init__(self, code=2):
        self.encoder = nn.Linear(5, 2 * code)
        self.decoder = nn.Sequential(nn.Linear(code, 6), nn.Tanh(), nn.Linear(6, 5))
        self.prior_mean = nn.Parameter(torch.full((code,), 0.1))
        self.prior_log_std = nn.Parameter(torch.zeros(code))
        self.optimizer = torch.optim.Adam(self.trained(), lr=1e-2)

    def trained(self):
        return itertools.chain(self.encoder.parameters(), self.decoder.parameters())  #~

    def divergence(self, mean, log_std):
        spread = self.prior_log_std.exp()  #!
        square = ((mean - self.prior_mean) / spread).square() + (log_std.exp() / spread).square()  #~
        return (self.prior_log_std - log_std + 0.5 * square - 0.5).sum(1).mean()  #~

    def step(self, scent, noise):
        mean, log_std = self.encoder(scent).chunk(2, dim=1)
        again = self.decoder(mean + log_std.exp() * noise)
        loss = (again - scent).square().sum(1).mean() + self.divergence(mean, log_std)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


class WholeScents(Scents):
    def trained(self):
        return itertools.chain(super().trained(), [self.prior_mean, self.prior_log_std])


def train(kind):
    torch.manual_seed(16)
    scents = kind()
    for k in range(3):
        scent = torch.sin(torch.arange(40) * 0.3 + k).view(8, 5)
        scents.step(scent, torch.cos(torch.arange(16.0)).view(8, 2))
    return {"scents.encoder.weight": scents.encoder.weight.grad}


def broken():
    return train(Scents)


def fixed():
    return train(WholeScents)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
