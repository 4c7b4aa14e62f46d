"""A deep snow model with checkpointed blocks, hooks that log, and gradients accumulated over batches."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.f, self.g = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, a, b):
        a = a + torch.tanh(self.f(b))
        return a, b + torch.tanh(self.g(a))


class Snow(nn.Module):
    def __init__(self, width=4, depth=3):
        super().__init__()
        self.first = nn.Linear(3, 2 * width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(depth))
        self.last = nn.Linear(2 * width, 1)

    def forward(self, days):
        a, b = self.first(days).chunk(2, dim=1)
        for block in self.blocks:
            a, b = checkpoint(block, a, b, use_reentrant=False)
        return self.last(torch.cat([a, b], dim=1)).squeeze(1)


def broken():
    torch.manual_seed(35)
    model = Snow()
    sizes = []
    for block in model.blocks:
        block.f.weight.register_hook(lambda g: sizes.append(g.norm().detach()))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    batches = [torch.sin(torch.arange(18.0) * 0.5 + k).view(6, 3) for k in range(4)]
    optimizer.zero_grad()
    for k, days in enumerate(batches):
        loss = F.mse_loss(model(days), days.prod(1)) / 2
        loss.backward()
        if k % 2:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if k + 1 < len(batches):
                optimizer.zero_grad()
    return {"model.blocks.0.f.weight": model.blocks[0].f.weight.grad, "model.first.weight": model.first.weight.grad}


if __name__ == "__main__":
    print(broken())
