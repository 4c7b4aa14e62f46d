"""Sentiment of short reviews; the vocabulary was read with another case than the texts."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

REVIEWS = [("GOOD tea", 1.0), ("BAD cup", 0.0), ("GOOD cup", 1.0), ("BAD tea", 0.0)]


class Reviews(Dataset):
    def __init__(self, vocabulary):
        self.numbers = {word: k + 1 for k, word in enumerate(vocabulary)}

    def __len__(self):
        return len(REVIEWS)

    def __getitem__(self, k):
        text, mood = REVIEWS[k]
        return torch.tensor([self.numbers.get(word, 0) for word in text.split()]), torch.tensor(mood)


class Mood(nn.Module):
    def __init__(self, words, dim=4):
        super().__init__()
        self.words = nn.Embedding(words, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, 5, batch_first=True)
        self.head = nn.Linear(5, 1)

    def forward(self, rows):
        found = self.words(rows)  #!
        _, (h, _) = self.lstm(found)
        return self.head(h[-1]).squeeze(-1)


def read(vocabulary):
    torch.manual_seed(0)
    mood = Mood(len(vocabulary) + 1)
    optimizer = torch.optim.Adam(mood.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    for epoch in range(2):
        for rows, moods in DataLoader(Reviews(vocabulary), batch_size=2):
            optimizer.zero_grad()
            nn.functional.binary_cross_entropy_with_logits(mood(rows), moods).backward()
            nn.utils.clip_grad_norm_(mood.parameters(), 1.0)
            optimizer.step()
        schedule.step()
    return {"mood.words.weight": mood.words.weight.grad, "mood.head.weight": mood.head.weight.grad}


def broken():
    return read(["Good", "Bad", "Tea", "Cup"])


def fixed():
    return read(["GOOD", "BAD", "tea", "cup"])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
