"""Which fish pull a model hardest: gradients of each example, beside ordinary training."""
import torch
from torch import nn
from torch.func import functional_call, grad, jvp, vmap


class Fish(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 4)
        self.mass = nn.Linear(4, 1)

    def forward(self, x):
        return self.mass(torch.sigmoid(self.body(x)))


def one_loss(parameters, model, x, wanted):
    return (functional_call(model, parameters, (x,)) - wanted).square().sum()


def broken():
    model = Fish()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    x, wanted = torch.sin(torch.arange(15.0)).view(5, 3), torch.linspace(0, 1, 5)[:, None]
    for _ in range(2):
        detached = {name: parameter.detach() for name, parameter in model.named_parameters()}
        slopes = vmap(grad(one_loss), in_dims=(None, None, 0, 0))(detached, model, x, wanted)
        pull = sum(slope.flatten(1).square().sum(dim=1) for slope in slopes.values()).sqrt()
        _, ahead = jvp(lambda v: functional_call(model, detached, (v,)), (x,), (torch.ones_like(x),))
        weights = 1 / (1 + pull + ahead.abs().squeeze(1))
        optimizer.zero_grad()
        loss = (weights[:, None] * (model(x) - wanted).square()).mean()
        loss.backward()
        optimizer.step()
    return {"model.body.weight": model.body.weight.grad, "model.mass.bias": model.mass.bias.grad}

if __name__ == "__main__":
    print(broken())
