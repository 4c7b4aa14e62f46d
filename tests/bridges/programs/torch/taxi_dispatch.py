"""A deep Q network that sends taxis to districts: replay, double Q learning, a target that follows slowly."""
import collections
import copy

import torch
from torch import nn
import torch.nn.functional as F

Move = collections.namedtuple("Move", "state action reward following done")


class Dueling(nn.Module):
    def __init__(self, districts=3):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.value = nn.Linear(8, 1)
        self.advantage = nn.Linear(8, districts)

    def forward(self, state):
        h = F.relu(self.body(state))
        advantage = self.advantage(h)
        return self.value(h) + advantage - advantage.mean(dim=-1, keepdim=True)


class Replay:
    def __init__(self, size):
        self.moves = collections.deque(maxlen=size)

    def push(self, *move):
        self.moves.append(Move(*move))

    def batch(self, count):
        chosen = [self.moves[(5 * k) % len(self.moves)] for k in range(count)]
        return Move(*(torch.stack(column) for column in zip(*chosen)))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def learn(net, target, optimizer, moves, discount=0.9):
    chosen = net(moves.state).gather(1, moves.action.unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        best = net(moves.following).argmax(dim=1, keepdim=True)
        later = target(moves.following).gather(1, best).squeeze(1)
        goal = moves.reward + discount * later * (1 - moves.done)
    loss = F.smooth_l1_loss(chosen, goal)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(net.parameters(), 1.0)
    optimizer.step()
    with torch.no_grad():
        for slow, fast in zip(target.parameters(), net.parameters()):
            slow.lerp_(fast, 0.05)
    return loss.item()


def train():
    net = settle(Dueling())
    target = copy.deepcopy(net).requires_grad_(False)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    replay = Replay(20)
    state = torch.sin(torch.arange(4.0))
    for step in range(10):
        with torch.no_grad():
            action = net(state).argmax()
        following = torch.cos(state + action)
        replay.push(state, action, following.sum(), following, torch.tensor(float(step % 5 == 4)))
        state = following
        if step >= 6:
            learn(net, target, optimizer, replay.batch(6))
    return {"net.body.weight": net.body.weight.grad, "net.advantage.weight": net.advantage.weight.grad}


def broken():
    return train()


if __name__ == "__main__":
    print(broken())
