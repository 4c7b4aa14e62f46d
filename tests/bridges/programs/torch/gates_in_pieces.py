"""A recurrent cell for the songs of thrushes, written to save memory: the gates are changed where they lie."""
import sys

import torch
from torch import nn


class ThriftyCell(nn.Module):
    def __init__(self, inputs, hidden):
        super().__init__()
        self.hidden = hidden
        self.mix = nn.Linear(inputs + hidden, 3 * hidden)

    def activate(self, mixed):
        forget, write, value = mixed.chunk(3, 1)
        forget.sigmoid_()  #!
        write.sigmoid_()  #~
        return forget, write, value.tanh()

    def forward(self, note, state):
        forget, write, value = self.activate(self.mix(torch.cat([note, state], 1)))
        return forget * state + write * value


class PlainCell(ThriftyCell):
    def activate(self, mixed):
        forget, write, value = mixed.chunk(3, 1)
        return forget.sigmoid(), write.sigmoid(), value.tanh()


class Singer(nn.Module):
    def __init__(self, cell, inputs=3, hidden=4):
        super().__init__()
        self.cell = cell(inputs, hidden)
        self.read = nn.Linear(hidden, inputs)

    def forward(self, song):
        state = song.new_zeros(song.shape[0], self.cell.hidden)
        heard = []
        for note in song.unbind(1):
            state = self.cell(note, state)
            heard.append(self.read(state))
        return torch.stack(heard, 1)


def listen(cell):
    torch.manual_seed(12)
    singer = Singer(cell)
    optimizer = torch.optim.NAdam(singer.parameters(), lr=1e-3)
    songs = torch.sin(torch.arange(45.0) * 0.6).view(3, 5, 3)
    for _ in range(2):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(singer(songs)[:, :-1], songs[:, 1:])
        loss.backward()
        nn.utils.clip_grad_value_(singer.parameters(), 0.5)
        optimizer.step()
    return {"singer.cell.mix.weight": singer.cell.mix.weight.grad, "singer.read.weight": singer.read.weight.grad}


def broken():
    return listen(ThriftyCell)


def fixed():
    return listen(PlainCell)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
