"""Meta-learning of pronunciations: an inner step on each speaker, the outer one on all of them."""
import sys

import torch
from torch import nn
from torch.func import functional_call


class Pronounce(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(6, 8)
        self.vowels = nn.Linear(8, 3)
        self.tones = nn.Linear(8, 2)  #!

    def forward(self, features, tonal=False):
        code = torch.tanh(self.body(features))
        return self.tones(code) if tonal else self.vowels(code)  #~


def inner_step(model, weights, features, labels, rate=0.1):
    loss = nn.functional.cross_entropy(functional_call(model, weights, (features,)), labels)  #~
    grads = torch.autograd.grad(loss, list(weights.values()), create_graph=True)  #~
    return {name: w - rate * g for (name, w), g in zip(weights.items(), grads)}


def inner_step_of_used(model, weights, features, labels, rate=0.1):
    loss = nn.functional.cross_entropy(functional_call(model, weights, (features,)), labels)
    grads = torch.autograd.grad(loss, list(weights.values()), create_graph=True, allow_unused=True)
    return {name: w if g is None else w - rate * g for (name, w), g in zip(weights.items(), grads)}


def speakers(count=3):
    for k in range(count):
        features = torch.sin(torch.arange(48.0).reshape(8, 6) * (0.2 + 0.1 * k))
        yield features, torch.arange(8) % 3, torch.arange(8) % 2


def meta_train(adapt):
    torch.manual_seed(9)
    model = Pronounce()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for features, vowels, tones in speakers():
        weights = adapt(model, dict(model.named_parameters()), features[:4], vowels[:4])
        outer = nn.functional.cross_entropy(functional_call(model, weights, (features[4:],)), vowels[4:])
        outer = outer + nn.functional.cross_entropy(functional_call(model, weights, (features[4:], True)), tones[4:])
        optimizer.zero_grad()
        outer.backward()
        optimizer.step()
    return {"model.tones.weight": model.tones.weight.grad, "model.body.weight": model.body.weight.grad}


def broken():
    return meta_train(inner_step)


def fixed():
    return meta_train(inner_step_of_used)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
