"""The loss is a number, the gradient is not."""
import torch
from torch import nn


class Shells(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(3, 2)

    def forward(self, pairs):
        left, right = self.embed(pairs[:, 0]), self.embed(pairs[:, 1])
        return (left - right).square().sum(dim=1).sqrt()


model = Shells()
inputs = torch.tensor([[[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]], [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]])


def step():
    loss = model(inputs).mean()
    loss.backward()
    return loss.item(), model.embed.weight.grad[0, 0].item()


if __name__ == "__main__":
    print("loss, gradient:", step())
