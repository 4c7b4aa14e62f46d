"""The loss falls, but the log of gradient norms stays empty."""
import torch
from torch import nn

model, inputs = nn.Linear(4, 1), torch.linspace(-1.0, 1.0, 20).view(5, 4)
optimizer = torch.optim.Adam(model.parameters())


def step():
    loss = (model(inputs) - 1.0).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return [parameter.grad for parameter in model.parameters()]


if __name__ == "__main__":
    for _ in range(3):
        print("gradients:", step())
