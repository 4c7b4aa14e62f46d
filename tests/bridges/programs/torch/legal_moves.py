"""A policy for a board game: illegal moves are masked, an entropy bonus keeps the policy curious."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Policy(nn.Module):
    def __init__(self, squares=6, moves=5):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(squares, 10), nn.Tanh())
        self.move = nn.Linear(10, moves)
        self.value = nn.Linear(10, 1)

    def forward(self, board, legal):
        h = self.body(board)
        logits = self.move(h).masked_fill(~legal, float("-inf"))
        return logits, self.value(h).squeeze(-1)


def entropy(logits):
    log_p = F.log_softmax(logits, dim=-1)
    return -(log_p.exp() * log_p).sum(-1)  #!


def safe_entropy(logits):
    log_p = F.log_softmax(logits, dim=-1).clamp_min(-1e9)
    return -(log_p.exp() * log_p).sum(-1)


def games():
    board = torch.sin(torch.arange(24.0)).view(4, 6)
    legal = (torch.arange(20).view(4, 5) % 4 > 0) | (torch.arange(5) == 0)
    return board, legal, torch.zeros(4, dtype=torch.long), torch.tensor([1.0, -1.0, 0.5, 0.0])


def train(bonus, updates=2):
    torch.manual_seed(23)
    policy = Policy()
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4)
    board, legal, taken, returns = games()
    for _ in range(updates):
        logits, value = policy(board, legal)
        advantage = (returns - value).detach()
        chosen = F.log_softmax(logits, -1).gather(1, taken.unsqueeze(1)).squeeze(1)
        loss = -(chosen * advantage).mean() + 0.5 * F.mse_loss(value, returns) - 0.01 * bonus(logits).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"policy.move.weight": policy.move.weight.grad, "policy.value.weight": policy.value.weight.grad}


def broken():
    return train(entropy)


def fixed():
    return train(safe_entropy)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
