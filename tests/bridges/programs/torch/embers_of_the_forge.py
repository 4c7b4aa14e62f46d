"""Colour of embers from a spectrum: the front of the network was written for serving."""
import sys

import torch
from torch import nn


class Front(nn.Module):
    def __init__(self):
        super().__init__()
        self.prism = nn.Linear(6, 8)
        self.norm = nn.LayerNorm(8)

    @torch.inference_mode()
    def served(self, spectrum):
        return self.norm(torch.relu(self.prism(spectrum)))  #!

    def trained(self, spectrum):
        return self.norm(torch.relu(self.prism(spectrum)))


class Ember(nn.Module):
    def __init__(self, serving):
        super().__init__()
        self.front = Front()
        self.head = nn.Linear(8, 3)
        self.serving = serving

    def features(self, spectrum):
        if self.serving:
            return self.front.served(spectrum).clone()
        return self.front.trained(spectrum)

    def forward(self, spectrum):
        return self.head(self.features(spectrum)).log_softmax(1)


class Spectra(torch.utils.data.Dataset):
    def __len__(self):
        return 9

    def __getitem__(self, i):
        return torch.sin(torch.arange(6.0) * (i + 1)), i % 3


def heat(serving):
    torch.manual_seed(4)
    ember = Ember(serving)
    optimizer = torch.optim.SGD(ember.parameters(), lr=0.1)
    for spectrum, colour in torch.utils.data.DataLoader(Spectra(), batch_size=3):
        optimizer.zero_grad()
        loss = nn.functional.nll_loss(ember(spectrum), colour)
        loss.backward()
        optimizer.step()
    return {"ember.front.prism.weight": ember.front.prism.weight.grad, "ember.head.weight": ember.head.weight.grad}


def broken():
    return heat(serving=True)


def fixed():
    return heat(serving=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
