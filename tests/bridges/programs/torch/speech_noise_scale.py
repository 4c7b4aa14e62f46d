"""Speech commands; the scale of the gradients' noise is measured to choose a batch size."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Commands(nn.Module):
    def __init__(self, mel=8, words=5):
        super().__init__()
        self.conv = nn.Conv1d(mel, 12, 3, padding=1)
        self.norm = nn.BatchNorm1d(12)
        self.classify = nn.Linear(12, words)

    def forward(self, spectrum):
        hidden = torch.relu(self.norm(self.conv(spectrum)))
        return self.classify(hidden.mean(-1))


class NoiseScale:
    """Keeps the squared norm of the gradient of each batch."""

    def __init__(self, model):
        self.model, self.squares = model, []

    def measure(self):
        grads = [p.grad for p in self.model.parameters() if p.grad is not None]
        self.squares.append(sum(float(g.square().sum()) for g in grads))


def utterances(count=12, mel=8, frames=10):
    spectrum = torch.sin(torch.arange(count * mel * frames) * 0.173).reshape(count, mel, frames)
    return TensorDataset(spectrum, torch.arange(count) % 5)


def step_then_measure(optimizer, loss, scale):
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()  #!
    scale.measure()


def measure_then_step(optimizer, loss, scale):
    optimizer.zero_grad()
    loss.backward()
    scale.measure()
    optimizer.step()


def run(advance):
    torch.manual_seed(21)
    model = Commands()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    warm = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: min(1.0, (n + 1) / 4))
    scale = NoiseScale(model)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    for spectrum, word in DataLoader(utterances(), batch_size=4):
        with torch.no_grad():
            louder = spectrum / spectrum.abs().amax(dim=(1, 2), keepdim=True)
        loss = criterion(model(louder), word)
        advance(optimizer, loss, scale)
        warm.step()
    return {"model.conv.weight": model.conv.weight.grad, "model.classify.weight": model.classify.weight.grad}


def broken():
    return run(step_then_measure)


def fixed():
    return run(measure_then_step)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
