"""Continues the training of a tagger of weather reports that a server has loaded."""
import io
import sys

import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, words=15, tags=4):
        super().__init__()
        self.words = nn.Embedding(words, 6)
        self.hidden = nn.Linear(6, 8)  #!
        self.tags = nn.Linear(8, tags)

    def forward(self, ids):
        return self.tags(torch.relu(self.hidden(self.words(ids))))


def checkpoint():
    torch.manual_seed(6)
    file = io.BytesIO()
    torch.save(Tagger().state_dict(), file)
    file.seek(0)
    return file


@torch.inference_mode()
def load_for_serving(file):
    tagger = Tagger()  #~
    tagger.load_state_dict(torch.load(file))
    return tagger


def load_for_training(file):
    tagger = Tagger()
    tagger.load_state_dict(torch.load(file))
    return tagger


def continue_with(load):
    tagger = load(checkpoint())
    tagger.train()
    ids = torch.arange(20).view(4, 5) % 15
    truth = torch.arange(20).view(4, 5) % 4
    scores = tagger(ids)  #~
    loss = nn.functional.cross_entropy(scores.transpose(1, 2), truth)
    loss.backward()
    return {"tagger.hidden.weight": tagger.hidden.weight.grad}


def broken():
    return continue_with(load_for_serving)


def fixed():
    return continue_with(load_for_training)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
