"""A word is whispered on: the speaker chooses words, the hearer guesses what was meant."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Whisper(nn.Module):
    def __init__(self, words=5):
        super().__init__()
        self.speaker = nn.Linear(4, words)
        self.voice = nn.Embedding(words, 3)
        self.hearer = nn.Linear(3, 4)

    def chosen(self, thing):
        word = torch.topk(self.speaker(thing), 1, dim=1).indices[:, 0]  #!
        return self.voice(word)

    def mixed(self, thing):
        return self.speaker(thing).softmax(1) @ self.voice.weight

    def forward(self, thing, speak):
        return self.hearer(speak(self, thing))


def play(speak):
    torch.manual_seed(73)
    whisper = Whisper()
    thing = torch.eye(4)
    meant = torch.arange(4)
    optimizer = torch.optim.RMSprop(whisper.parameters(), lr=1e-2)
    for _ in range(3):
        loss = F.cross_entropy(whisper(thing, speak), meant, label_smoothing=0.1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"whisper.speaker.weight": whisper.speaker.weight.grad, "whisper.hearer.weight": whisper.hearer.weight.grad}


def broken():
    return play(Whisper.chosen)


def fixed():
    return play(Whisper.mixed)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
