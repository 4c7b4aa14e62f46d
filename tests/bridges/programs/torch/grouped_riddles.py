"""Reinforcement by groups: answers to one riddle are compared with each other, no critic is needed."""
import sys
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    riddles: int = 3
    group: int = 1
    clip: float = 0.2
    lr: float = 1e-3


class Writer(nn.Module):
    def __init__(self, words=7):
        super().__init__()
        self.embed = nn.Embedding(words, 6)
        self.out = nn.Linear(6, words)

    def log_probability(self, riddle, answer):
        return F.log_softmax(self.out(torch.tanh(self.embed(riddle))), -1).gather(-1, answer.unsqueeze(-1)).squeeze(-1)


def rewards(riddle, answer):
    return ((riddle * 2 + answer) % 5).float() / 4


def advantages(reward):
    centred = reward - reward.mean(dim=1, keepdim=True)  #~
    return centred / (reward.std(dim=1, keepdim=True, correction=0) + 1e-4)  #~


def update(writer, optimizer, config):
    riddle = torch.arange(config.riddles).unsqueeze(1).expand(-1, config.group)
    answer = (riddle + torch.arange(config.group)) % 7
    advantage = advantages(rewards(riddle, answer))
    with torch.no_grad():
        before = writer.log_probability(riddle, answer)
    ratio = torch.exp(writer.log_probability(riddle, answer) - before)
    bounded = ratio.clamp(1 - config.clip, 1 + config.clip)
    objective = torch.minimum(ratio * advantage, bounded * advantage)  #!
    optimizer.zero_grad()
    (-objective.mean()).backward()
    optimizer.step()


def train(config):
    torch.manual_seed(30)
    writer = Writer()
    optimizer = torch.optim.AdamW(writer.parameters(), lr=config.lr)
    for _ in range(2):
        update(writer, optimizer, config)
    return {"writer.out.weight": writer.out.weight.grad}


def broken():
    return train(Config())


def fixed():
    return train(Config(group=4))


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
