"""GradNorm: weights of three losses about orchards are themselves trained so that all tasks pull alike."""
import torch
import torch.nn.functional as F
from torch import nn


class Orchard(nn.Module):
    def __init__(self, tasks=3):
        super().__init__()
        self.common = nn.Linear(6, 8)
        self.heads = nn.ModuleList(nn.Linear(8, 1) for _ in range(tasks))

    def forward(self, trees):
        common = torch.tanh(self.common(trees))
        return [head(common).squeeze(1) for head in self.heads]


class GradNorm(nn.Module):
    def __init__(self, tasks, alpha=1.0):
        super().__init__()
        self.weights = nn.Parameter(torch.ones(tasks))
        self.alpha, self.first = alpha, None

    def losses(self, found, wanted):
        return torch.stack([F.mse_loss(a, b) for a, b in zip(found, wanted)])

    def balance(self, losses, shared):
        if self.first is None:
            self.first = losses.detach()
        norms = torch.stack([torch.autograd.grad(w * loss, shared, create_graph=True)[0].norm() for w, loss in zip(self.weights, losses)])
        pace = losses.detach() / self.first
        target = (norms.mean() * (pace / pace.mean()) ** self.alpha).detach()
        return (norms - target).abs().sum()

    @torch.no_grad()
    def renormalise(self):
        self.weights.clamp_(min=1e-3)
        self.weights.mul_(len(self.weights) / self.weights.sum())


def pick(rounds=3):
    torch.manual_seed(41)
    orchard, norm = Orchard(), GradNorm(3)
    of_model = torch.optim.SGD(orchard.parameters(), lr=0.05)
    of_weights = torch.optim.SGD(norm.parameters(), lr=0.02)
    trees = torch.sin(torch.arange(72.0) * 0.27).view(12, 6)
    wanted = [trees.sum(1), 2 * trees[:, 0], trees[:, 1] * trees[:, 2]]
    for _ in range(rounds):
        losses = norm.losses(orchard(trees), wanted)
        of_model.zero_grad()
        of_weights.zero_grad()
        (norm.weights.detach() * losses).sum().backward(retain_graph=True)
        balance = norm.balance(losses, orchard.common.weight)
        norm.weights.grad = torch.autograd.grad(balance, norm.weights)[0]
        of_model.step()
        of_weights.step()
        norm.renormalise()
    return {"orchard.common.weight": orchard.common.weight.grad, "norm.weights": norm.weights.grad}


def broken():
    return pick()


if __name__ == "__main__":
    print(broken())
