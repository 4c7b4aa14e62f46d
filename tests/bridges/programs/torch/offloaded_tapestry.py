"""A deep net for tapestries whose saved tensors are kept in half precision between the passes."""
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks


class Store:
    def __init__(self):
        self.kept, self.bytes = {}, 0

    def pack(self, tensor):
        if not tensor.is_floating_point() or isinstance(tensor, nn.Parameter):
            return tensor
        key = len(self.kept)
        self.kept[key] = tensor.detach().to(torch.bfloat16)
        self.bytes += self.kept[key].nbytes
        return key

    def unpack(self, held):
        return self.kept[held].float() if isinstance(held, int) else held


class Tapestry(nn.Module):
    def __init__(self, width=5, depth=4):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.register_buffer("seen", torch.zeros(width))

    def forward(self, x):
        for layer in self.layers:
            x = x + torch.tanh(layer(x))
            self.seen.mul_(0.9).add_(x.detach().mean(dim=0), alpha=0.1)
        return x


def broken():
    tapestry = Tapestry()
    with torch.no_grad():
        for k, p in enumerate(tapestry.parameters()):
            p.copy_(0.3 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    optimizer = torch.optim.SGD(tapestry.parameters(), lr=0.01, momentum=0.9)
    for step in range(3):
        store = Store()
        x = torch.sin(torch.arange(30.0) + step).view(6, 5)
        with saved_tensors_hooks(store.pack, store.unpack):
            loss = (tapestry(x) - x.roll(1, 1)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(tapestry.parameters(), 0.5)
        optimizer.step()
    return {"tapestry.layers.0.weight": tapestry.layers[0].weight.grad, "tapestry.layers.3.bias": tapestry.layers[3].bias.grad}

if __name__ == "__main__":
    print(broken())
