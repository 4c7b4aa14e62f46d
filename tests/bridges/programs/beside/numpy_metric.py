"""backward() runs, but nothing is learnt."""
import numpy as np
import torch
from torch import nn

model, inputs = nn.Sequential(nn.Linear(3, 4), nn.SiLU(), nn.Linear(4, 1)), torch.linspace(-1.0, 1.0, 15).view(5, 3)
wanted = torch.linspace(0.0, 1.0, 5)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


def step():
    optimizer.zero_grad()
    found = model(inputs).squeeze(1).detach().numpy()
    loss = torch.tensor(np.mean(np.abs(found - wanted.numpy())), requires_grad=True)
    loss.backward()
    optimizer.step()
    return model[0].weight.grad


if __name__ == "__main__":
    for _ in range(3):
        print("gradient of the first layer:", step())
