"""The hidden layer stands still from the first step on."""
import torch
from torch import nn


class Lamp(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Linear(3, 5), nn.Linear(5, 1)
        nn.init.constant_(self.hidden.bias, -4.0)

    def forward(self, x):
        return self.out(torch.relu(self.hidden(x)))


model, inputs = Lamp(), torch.linspace(0.0, 1.0, 12).view(4, 3)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


def step():
    optimizer.zero_grad()
    loss = (model(inputs) - 1.0).square().mean()
    loss.backward()
    optimizer.step()
    return model.hidden.weight.grad.norm().item()


if __name__ == "__main__":
    for _ in range(3):
        print("norm of the hidden layer's gradient:", step())
