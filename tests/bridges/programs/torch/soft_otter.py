"""A soft actor-critic for an otter that balances a stone; one round of each of its three updates."""
import copy

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 8)
        self.out = nn.Linear(8, 2)

    def forward(self, state):
        mean, log_std = self.out(F.relu(self.body(state) + 0.5)).chunk(2, dim=-1)
        dist = Normal(mean, log_std.clamp(-5, 2).exp())
        raw = dist.rsample()
        action = torch.tanh(raw)
        log_p = dist.log_prob(raw) - torch.log(1 - action.square() + 1e-6)
        return action, log_p.sum(-1)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.q1 = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
        self.q2 = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))

    def forward(self, state, action):
        pair = torch.cat([state, action], dim=-1)
        return self.q1(pair).squeeze(-1), self.q2(pair).squeeze(-1)


def broken():
    torch.manual_seed(33)
    actor, critic = Actor(), Critic()
    target = copy.deepcopy(critic).requires_grad_(False)
    log_alpha = torch.zeros((), requires_grad=True)
    steps = {
        "critic": torch.optim.Adam(critic.parameters(), lr=1e-3),
        "actor": torch.optim.Adam(actor.parameters(), lr=1e-3),
        "alpha": torch.optim.Adam([log_alpha], lr=1e-3),
    }
    for k in range(2):
        state = torch.sin(torch.arange(15.0) + k).view(5, 3)
        after, reward = state.roll(1, 0), state.sum(1)
        alpha = log_alpha.exp().detach()
        with torch.no_grad():
            action, log_p = actor(after)
            wanted = reward + 0.9 * (torch.min(*target(after, action)) - alpha * log_p)
        done = torch.tanh(reward).unsqueeze(1)
        critic_loss = sum(F.mse_loss(q, wanted) for q in critic(state, done))
        steps["critic"].zero_grad()
        critic_loss.backward()
        steps["critic"].step()
        critic.requires_grad_(False)
        action, log_p = actor(state)
        actor_loss = (alpha * log_p - torch.stack(critic(state, action)).mean(0)).mean()
        steps["actor"].zero_grad()
        actor_loss.backward()
        steps["actor"].step()
        critic.requires_grad_(True)
        alpha_loss = -(log_alpha * (log_p.detach() + 1.0)).mean()
        steps["alpha"].zero_grad()
        alpha_loss.backward()
        steps["alpha"].step()
        with torch.no_grad():
            for slow, fast in zip(target.parameters(), critic.parameters()):
                slow.lerp_(fast, 0.05)
    return {"actor.out.weight": actor.out.weight.grad, "critic.q1.0.weight": critic.q1[0].weight.grad, "log_alpha": log_alpha.grad}


if __name__ == "__main__":
    print(broken())
