"""The decoder learns, the encoder never does."""
import torch
from torch import nn


class Plankton(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder, self.history = nn.Linear(6, 3), nn.Linear(3, 6), []

    def forward(self, x):
        code = torch.tanh(self.encoder(x)).detach()
        self.history.append(code)
        return self.decoder(code)


model, inputs = Plankton(), torch.linspace(-1.0, 1.0, 24).view(4, 6)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


def step():
    optimizer.zero_grad()
    loss = (model(inputs) - inputs).square().mean()
    loss.backward()
    optimizer.step()
    return model.encoder.weight.grad


if __name__ == "__main__":
    for _ in range(3):
        print("gradient of the encoder:", step())
