"""A deckhand chooses which rope to haul: double Q-learning with a slow copy."""
import copy

import torch
from torch import nn


class Ropes(nn.Module):
    def __init__(self, ropes=3):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(4, 12), nn.ReLU())
        self.worth = nn.Linear(12, 1)
        self.better = nn.Linear(12, ropes)

    def forward(self, deck):
        h = self.trunk(deck)
        better = self.better(h)
        return self.worth(h) + better - better.mean(dim=1, keepdim=True)


def follow(slow, fast, rate=0.05):
    with torch.no_grad():
        for old, new in zip(slow.parameters(), fast.parameters()):
            old.lerp_(new, rate)


def memory(turn):
    k = torch.arange(32.0) + turn
    deck = torch.sin(k).view(8, 4)
    return deck, torch.arange(8) % 3, torch.cos(k[:8]), deck.roll(1, 0), (torch.arange(8) % 4 == 3).float()


def broken():
    torch.manual_seed(67)
    online = Ropes()
    slow = copy.deepcopy(online).requires_grad_(False)
    optimizer = torch.optim.AdamW(online.parameters(), lr=1e-3)
    for turn in range(3):
        deck, hauled, reward, after, over = memory(turn)
        with torch.no_grad():
            best = online(after).argmax(dim=1, keepdim=True)
            goal = reward + 0.9 * (1 - over) * slow(after).gather(1, best).squeeze(1)
        guess = online(deck).gather(1, hauled[:, None]).squeeze(1)
        loss = nn.functional.smooth_l1_loss(guess, goal)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(online.parameters(), 10.0)
        optimizer.step()
        follow(slow, online)
    return {"online.trunk.0.weight": online.trunk[0].weight.grad, "online.worth.bias": online.worth.bias.grad}


if __name__ == "__main__":
    print(broken())
