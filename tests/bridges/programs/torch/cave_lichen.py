"""Ages lichen in a cave by its colour; the encoder is large, so its features are cached."""
import sys

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(3, 5)

    def forward(self, colour):
        return torch.tanh(self.mix(colour))  #!


class Cache:
    def __init__(self, encoder, mode):
        self.encoder, self.mode, self.kept = encoder, mode, {}

    def __call__(self, key, colour):
        if key not in self.kept:
            with torch.inference_mode(self.mode):  #~
                self.kept[key] = self.encoder(colour)
        return self.kept[key].clone()


def age_loss(mode):
    encoder = Encoder()
    head = nn.Linear(5, 1)
    cache = Cache(encoder, mode)
    colour = torch.sin(torch.arange(12.0)).view(4, 3)
    guess = head(cache("north", colour)).squeeze(1)
    loss = nn.functional.l1_loss(guess, torch.tensor([1.0, 2.0, 3.0, 4.0]))
    loss.backward()
    return {"encoder.mix.weight": encoder.mix.weight.grad, "head.weight": head.weight.grad}


def broken():
    return age_loss(True)


def fixed():
    return age_loss(False)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
