"""Reads hieroglyphs; the embedding's row for padding is cleared before each forward pass."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pad_sequence


class Reader(nn.Module):
    padding = 0

    def __init__(self, signs=12, width=6, words=3):
        super().__init__()
        self.signs = nn.Parameter(torch.sin(torch.arange(float(signs * width))).view(signs, width))
        self.conv = nn.Conv1d(width, 8, 3, padding=1)
        self.out = nn.Linear(8, words)

    def clear(self):
        self.signs[self.padding].zero_()  #!

    def forward(self, text):
        self.clear()
        x = F.embedding(text, self.signs).transpose(1, 2)
        x = F.relu(self.conv(x))
        present = (text != self.padding).unsqueeze(1)
        x = x.masked_fill(~present, float("-inf")).amax(2)
        return self.out(x)


class CarefulReader(Reader):
    @torch.no_grad()
    def clear(self):
        self.signs[self.padding].zero_()


def texts():
    lengths = [3, 5, 4, 6]
    rows = [torch.arange(k, k + n) % 11 + 1 for k, n in enumerate(lengths)]
    return pad_sequence(rows, batch_first=True), torch.arange(4) % 3


def evaluate(reader, text, meaning):
    reader.eval()
    with torch.inference_mode():
        return (reader(text).argmax(1) == meaning).float().mean().item()


def train(kind):
    torch.manual_seed(20)
    reader = kind()
    optimizer = torch.optim.AdamW(reader.parameters(), lr=1e-3, amsgrad=True)
    text, meaning = texts()
    for _ in range(3):
        reader.train()
        optimizer.zero_grad()
        loss = F.cross_entropy(reader(text), meaning, label_smoothing=0.1)
        loss.backward()
        optimizer.step()
        evaluate(reader, text, meaning)
    return {"reader.signs": reader.signs.grad}


def broken():
    return train(Reader)


def fixed():
    return train(CarefulReader)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
