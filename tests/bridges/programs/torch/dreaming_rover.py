"""A rover that learns a model of its world, values of states and a policy; each part has an optimizer."""
import sys
from types import SimpleNamespace

import torch
from torch import nn

CONFIG = SimpleNamespace(latent=6, actions=2, rates={"world": 3e-3, "critic": 1e-3, "actor": 1e-3}, seed=11)


def mlp(*sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.ELU()]
    return nn.Sequential(*layers[:-1])


def build(cfg):
    torch.manual_seed(cfg.seed)
    return nn.ModuleDict({
        "world": mlp(4 + cfg.actions, 12, cfg.latent),
        "critic": mlp(cfg.latent, 12, 1),
        "actor": mlp(4, 12, cfg.actions),
    })


def losses(parts, seen, following):
    action = parts["actor"](seen).tanh()
    latent = parts["world"](torch.cat([seen, action.detach()], dim=1))
    dreamed = parts["world"](torch.cat([seen, action], dim=1))
    value = parts["critic"](dreamed)
    return {
        "world": (latent[:, :4] - following).pow(2).mean(),
        "critic": (parts["critic"](latent.detach()) - following.sum(1, keepdim=True)).pow(2).mean(),
        "actor": -value.mean(),
    }


def all_at_once(parts, optimizers, seen, following):
    for name, loss in losses(parts, seen, following).items():
        optimizers[name].zero_grad()
        loss.backward()
        optimizers[name].step()  #!


def each_anew(parts, optimizers, seen, following):
    for name in optimizers:
        loss = losses(parts, seen, following)[name]
        optimizers[name].zero_grad()
        loss.backward()
        optimizers[name].step()


def drive(update):
    parts = build(CONFIG)
    optimizers = {k: torch.optim.Adam(parts[k].parameters(), lr=rate) for k, rate in CONFIG.rates.items()}
    ground = torch.sin(torch.arange(40.0) / 3).view(10, 4)
    update(parts, optimizers, ground[:-1], ground[1:])
    return {"parts.actor.0.weight": parts["actor"][0].weight.grad}


def broken():
    return drive(all_at_once)


def fixed():
    return drive(each_anew)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
