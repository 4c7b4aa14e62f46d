"""Accumulates gradients of a speech model over micro-batches, in autocast with bfloat16."""
import torch
from torch import nn
import torch.nn.functional as F


class Speech(nn.Module):
    def __init__(self):
        super().__init__()
        self.frontend = nn.Conv1d(1, 4, 3, padding=1)
        self.rnn = nn.GRU(4, 5, batch_first=True)
        self.words = nn.Linear(5, 3)

    def forward(self, sound):
        maps = F.gelu(self.frontend(sound)).transpose(1, 2)
        states, _ = self.rnn(maps)
        return self.words(states.mean(dim=1))


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.4 * torch.cos(torch.arange(p.numel()) * 0.6 + k).view_as(p))
    return model


def micro_batches(count):
    time = torch.linspace(0.0, 6.0, 10)
    for k in range(count):
        sound = torch.stack([torch.sin(time * (1 + k)), torch.cos(time + k)])
        yield sound.unsqueeze(1), torch.tensor([k % 3, 1])


def broken():
    model = initialise(Speech())
    for parameter in model.frontend.parameters():
        parameter.requires_grad_(False)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-3)
    history = []
    for _ in range(2):
        optimizer.zero_grad()
        for sound, word in micro_batches(2):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = F.cross_entropy(model(sound), word) / 2
            loss.backward()
            history.append(loss.item())
        optimizer.step()
    return {f"model.{name}": parameter.grad for name, parameter in model.named_parameters()}


if __name__ == "__main__":
    print(broken())
