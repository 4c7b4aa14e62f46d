"""Counts sheep from drone pictures; the model is called with its weights as an argument, for experiments."""
import sys
from functools import partial

import torch
from torch import nn
from torch.func import functional_call

make = partial(nn.Sequential, nn.Flatten(), nn.Linear(16, 6), nn.Softplus(), nn.Linear(6, 1))


def weights_of(model):
    return model.state_dict()  #!


def parameters_of(model):
    return {**dict(model.named_parameters()), **dict(model.named_buffers())}


def poisson(model, weights, pictures, counts):
    log_rate = functional_call(model, weights, (pictures,)).squeeze(1)
    return nn.functional.poisson_nll_loss(log_rate, counts)


def train(collect, epochs=2):
    torch.manual_seed(9)
    model = make()
    opt = torch.optim.Adagrad(model.parameters(), lr=0.01)
    pictures = torch.sin(torch.arange(96.0)).view(6, 4, 4)
    counts = (pictures.sum(dim=(1, 2)).abs() * 2).round()
    for epoch in range(epochs):
        loss = poisson(model, collect(model), pictures, counts)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return {"model.1.weight": model[1].weight.grad, "model.3.bias": model[3].bias.grad}


def broken():
    return train(weights_of)


def fixed():
    return train(parameters_of)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
