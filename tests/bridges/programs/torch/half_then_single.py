"""Compiled scoring of playlists: requests come in half precision, the nightly check in single."""
import sys

import torch
from torch import nn


class Playlist(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.taste = nn.Parameter(torch.linspace(-1, 1, dim))

    @torch.compile(backend="eager", dynamic=False)
    def score(self, songs):
        return torch.tanh(songs.float() @ self.taste)


def train(night):
    torch._dynamo.reset()
    player = Playlist()
    optimizer = torch.optim.SGD(player.parameters(), lr=0.1)
    songs = torch.sin(torch.arange(24.0)).view(6, 4)
    for batch in (songs.half(), songs.flip(0).half(), night(songs)):
        optimizer.zero_grad()
        loss = player.score(batch).square().mean()  #!
        loss.backward()
        optimizer.step()
    return {"player.taste": player.taste.grad}


def broken():
    return train(lambda songs: songs)


def fixed():
    return train(lambda songs: songs.half())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
