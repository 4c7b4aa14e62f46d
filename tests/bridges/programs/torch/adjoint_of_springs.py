"""Springs as a differential equation whose gradient an adjoint of one's own walks back in time."""
import torch
from torch import nn


class Springs(nn.Module):
    def __init__(self):
        super().__init__()
        self.force = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 2))

    def forward(self, state):
        return self.force(state)


class Adjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, start, field, steps, width, *weights):
        state = start
        with torch.no_grad():
            for _ in range(steps):
                state = state + width * field(state)
        ctx.field, ctx.steps, ctx.width = field, steps, width
        ctx.save_for_backward(state, *weights)
        return state

    @staticmethod
    def backward(ctx, grad):
        state, *weights = ctx.saved_tensors
        slopes = [torch.zeros_like(w) for w in weights]
        for _ in range(ctx.steps):
            state = state - ctx.width * ctx.field(state)
            with torch.enable_grad():
                here = state.detach().requires_grad_(True)
                moved = here + ctx.width * ctx.field(here)
                through, *parts = torch.autograd.grad(moved, [here, *weights], grad)
            grad = through
            slopes = [slope + part for slope, part in zip(slopes, parts)]
        return grad, None, None, None, *slopes


def broken():
    springs = Springs()
    start = nn.Parameter(torch.tensor([[1.0, 0.0], [0.0, 1.0], [-0.5, 0.5]]))
    with torch.no_grad():
        for k, p in enumerate(springs.parameters()):
            p.copy_(0.3 * torch.sin(torch.arange(p.numel()) * 1.9 + k).view_as(p))
    optimizer = torch.optim.Adam([start, *springs.parameters()], lr=1e-2)
    for _ in range(3):
        end = Adjoint.apply(start, springs, 4, 0.1, *springs.parameters())
        loss = (end - torch.tensor([0.5, -0.5])).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"start": start.grad, "springs.force.0.weight": springs.force[0].weight.grad}


if __name__ == "__main__":
    print(broken())
