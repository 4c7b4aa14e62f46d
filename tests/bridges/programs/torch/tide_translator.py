"""An encoder and a decoder of GRUs that turn a tide table into wave heights."""
import sys
import warnings

import torch
from torch import nn

warnings.filterwarnings("ignore")


class Encoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.rnn = nn.GRU(1, width, batch_first=True)

    def forward(self, x):
        _, hidden = self.rnn(x)
        return hidden


class Decoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.cell = nn.GRUCell(1, width)
        self.out = nn.Linear(width, 1)

    def forward(self, hidden, length):
        step = torch.zeros(hidden.shape[0], 1)
        answers = []
        for _ in range(length):
            hidden = self.cell(step, hidden)
            step = self.out(hidden)
            answers.append(step)
        return torch.stack(answers, dim=1)


class Translator(nn.Module):
    def __init__(self, width=5):
        super().__init__()
        self.encoder, self.decoder = Encoder(width), Decoder(width)

    def bridge(self, hidden):
        return torch.tensor(hidden, dtype=torch.float32)  #!

    def forward(self, x, length):
        state = self.bridge(self.encoder(x))
        return self.decoder(state.squeeze(0), length)


class RightTranslator(Translator):
    def bridge(self, hidden):
        return hidden


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.8 + k).view_as(p))
    return module


def train(kind):
    net = settle(kind())
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    tides = torch.sin(torch.arange(3 * 7) * 0.6).view(3, 7, 1)
    waves = torch.cos(torch.arange(3 * 4) * 0.3).view(3, 4, 1)
    for epoch in range(2):
        optimizer.zero_grad()
        loss = nn.functional.smooth_l1_loss(net(tides, 4), waves)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
    return {"net.encoder.rnn.weight_ih_l0": net.encoder.rnn.weight_ih_l0.grad, "net.decoder.out.weight": net.decoder.out.weight.grad}


def broken():
    return train(Translator)


def fixed():
    return train(RightTranslator)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
