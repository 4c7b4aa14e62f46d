"""Memory grows with each batch."""
import torch
from torch import nn

model, inputs = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)), torch.ones(16, 8)
optimizer = torch.optim.SGD(model.parameters(), 0.01)
total = 0.0


def step():
    global total
    optimizer.zero_grad()
    loss = model(inputs).square().mean()
    loss.backward(retain_graph=False)
    optimizer.step()
    total = total + loss
    return total


if __name__ == "__main__":
    for _ in range(20):
        step()
    print("mean loss:", float(total.detach()) / 20)
