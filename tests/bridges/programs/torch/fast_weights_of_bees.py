"""First-order meta-learning of bee dances: fast weights by functional_call, one inner step, no second derivatives."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call


class Dance(nn.Module):
    def __init__(self):
        super().__init__()
        self.angle = nn.Linear(2, 6)
        self.vote = nn.Linear(6, 2)

    def forward(self, waggle):
        return self.vote(torch.sin(self.angle(waggle)))


def adapted(model, waggle, field, rate=0.1):
    slow = dict(model.named_parameters())
    loss = F.mse_loss(functional_call(model, slow, (waggle,)), field)
    slopes = torch.autograd.grad(loss, list(slow.values()))
    return {name: p - rate * g for (name, p), g in zip(slow.items(), slopes)}


def swarms(count=3):
    for k in range(count):
        waggle = torch.sin(torch.arange(16.0) * (k + 1)).view(8, 2)
        field = torch.stack([waggle[:, 0] * (k + 1), -waggle[:, 1]], dim=1)
        yield (waggle[:4], field[:4]), (waggle[4:], field[4:])


def broken():
    torch.manual_seed(25)
    model = Dance()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    best = float("inf")
    for epoch in range(3):
        optimizer.zero_grad(set_to_none=True)
        total = 0.0
        for support, query in swarms():
            fast = adapted(model, *support)
            loss = F.mse_loss(functional_call(model, fast, (query[0],)), query[1]) / 3
            loss.backward()
            total += loss.item()
        torch.nn.utils.clip_grad_value_(model.parameters(), 5.0)
        optimizer.step()
        best = min(best, total)
    return {"model.angle.weight": model.angle.weight.grad, "model.vote.bias": model.vote.bias.grad}


if __name__ == "__main__":
    print(broken())
