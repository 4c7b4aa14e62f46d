"""Two skippers' networks are merged by a learned share of their weights."""
import sys

import torch
from torch import nn
from torch.func import functional_call


def skipper(seed):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))


class Merged(nn.Module):
    def __init__(self, first, second):
        super().__init__()
        self.share = nn.Parameter(torch.tensor(0.0))
        self.warmth = nn.Parameter(torch.tensor(1.0))
        self.first, self.second = first.requires_grad_(False), second.requires_grad_(False)
        self.body = skipper(3).requires_grad_(False)

    def mixed(self):
        s = torch.sigmoid(self.share)
        others = dict(self.second.named_parameters())
        return {name: s * w + (1 - s) * others[name] for name, w in self.first.named_parameters()}

    def forward(self, wind, call):
        return call(self.body, self.mixed(), wind) / self.warmth


def loaded(body, weights, wind):
    body.load_state_dict(weights)  #!
    return body(wind)


def called(body, weights, wind):
    return functional_call(body, weights, (wind,))


def sail(call):
    merged = Merged(skipper(1), skipper(2))
    trained = [w for w in merged.parameters() if w.requires_grad]
    optimizer = torch.optim.Adam(trained, lr=0.05)
    wind = torch.sin(torch.arange(15.0)).view(5, 3)
    course = torch.tensor([0, 1, 1, 0, 1])
    for _ in range(2):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(merged(wind, call), course)
        loss.backward()
        optimizer.step()
    return {"merged.share": merged.share.grad, "merged.warmth": merged.warmth.grad}


def broken():
    return sail(loaded)


def fixed():
    return sail(called)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
