"""A small trainer with callbacks; one of them notes the gradients' norms of the last step."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Callback:
    def after_backward(self, trainer):
        pass

    def after_step(self, trainer):
        pass


class Tidy(Callback):
    def after_step(self, trainer):
        trainer.model.zero_grad()  #!


class TidyBefore(Callback):
    def before_step(self, trainer):
        trainer.model.zero_grad()


class Warmup(Callback):
    def __init__(self, steps):
        self.steps, self.seen = steps, 0

    def after_step(self, trainer):
        self.seen += 1
        for group in trainer.optimizer.param_groups:
            group["lr"] = 0.05 * min(1.0, self.seen / self.steps)


class Trainer:
    def __init__(self, model, callbacks):
        self.model, self.callbacks = model, callbacks
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
        self.losses = []

    def call(self, event):
        for callback in self.callbacks:
            if hasattr(callback, event):
                getattr(callback, event)(self)

    def fit(self, loader, epochs):
        for _ in range(epochs):
            for x, y in loader:
                self.call("before_step")
                loss = nn.functional.smooth_l1_loss(self.model(x), y)
                loss.backward()
                self.call("after_backward")
                self.optimizer.step()
                self.losses.append(loss.item())
                self.call("after_step")


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(tidy):
    model = settle(nn.Sequential(nn.Linear(4, 6), nn.Softplus(), nn.Linear(6, 1), nn.Flatten(0)))
    data = TensorDataset(torch.cos(torch.arange(48.0)).view(12, 4), torch.sin(torch.arange(12.0)))
    Trainer(model, [Warmup(4), tidy()]).fit(DataLoader(data, batch_size=4), epochs=2)
    return {"model.0.weight": model[0].weight.grad, "model.2.bias": model[2].bias.grad}


def broken():
    return train(Tidy)


def fixed():
    return train(TidyBefore)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
