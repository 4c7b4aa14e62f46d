"""A fox learns when to cross a field: policy and value have a loss of their own, and one trunk."""
import sys

import torch
from torch import nn


class Fox(nn.Module):
    def __init__(self):
        super().__init__()
        self.senses = nn.Sequential(nn.Linear(3, 8), nn.Tanh())
        self.policy = nn.Linear(8, 2)
        self.value = nn.Linear(8, 1)

    def forward(self, field):
        seen = self.senses(field)
        return torch.distributions.Categorical(logits=self.policy(seen)), self.value(seen).squeeze(1)


def discounted(rewards, gamma=0.9):
    total, returns = 0.0, []
    for reward in reversed(rewards.tolist()):
        total = reward + gamma * total
        returns.append(total)
    return torch.tensor(returns[::-1])


def hunt(weigh):
    torch.manual_seed(25)
    fox = Fox()
    field = torch.cos(torch.arange(18.0)).view(6, 3)
    actions = torch.tensor([0, 1, 1, 0, 1, 0])
    choice, value = fox(field)
    returns = discounted(field.sum(1))
    advantage = (returns - value).detach()
    actor = -choice.log_prob(actions) * advantage
    critic = nn.functional.smooth_l1_loss(value, returns, reduction="none")
    loss = weigh(actor + 0.5 * critic)  #~
    loss.backward()
    return {"fox.senses.0.weight": fox.senses[0].weight.grad, "fox.value.weight": fox.value.weight.grad}


def broken():
    return hunt(lambda each: each / len(each))  #!


def fixed():
    return hunt(lambda each: each.mean())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
