"""Routes calls to departments; during training the hits of each department are counted for the dashboard."""
import sys

import torch
from torch import nn

DEPARTMENTS = ["billing", "technical", "orders", "complaints"]


class Router(nn.Module):
    def __init__(self, vocabulary=30):
        super().__init__()
        self.words = nn.EmbeddingBag(vocabulary, 12, mode="mean")
        self.department = nn.Linear(12, len(DEPARTMENTS))

    def forward(self, transcript):
        return self.department(torch.relu(self.words(transcript)))


class Dashboard:
    def __init__(self):
        self.hits = dict.fromkeys(DEPARTMENTS, 0)

    def update(self, logits, labels):
        guesses = logits.argmax(dim=1)
        for guess, label in zip(guesses, labels):
            if guess.item() == label.item():  #!
                self.hits[DEPARTMENTS[label.item()]] += 1  #~


class BatchedDashboard(Dashboard):
    def update(self, logits, labels):
        right = labels[logits.argmax(dim=1) == labels]
        counts = torch.bincount(right, minlength=len(DEPARTMENTS)).tolist()
        for name, count in zip(DEPARTMENTS, counts):
            self.hits[name] += count


def calls(batches=2, size=12, words=6):
    for batch in range(batches):
        transcript = torch.arange(size * words).reshape(size, words) * (7 + batch) % 30
        yield transcript, torch.arange(size) % len(DEPARTMENTS)


def train(dashboard):
    torch.manual_seed(12)
    router = Router()
    optimizer = torch.optim.Adagrad(router.parameters(), lr=0.1)
    for transcript, labels in calls():
        logits = router(transcript)
        loss = nn.functional.cross_entropy(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        dashboard.update(logits.detach(), labels)  #~
    return {"router.department.weight": router.department.weight.grad}


def broken():
    return train(Dashboard())


def fixed():
    return train(BatchedDashboard())


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
