"""Gradients for each patient by torch.func, clipped as differential privacy asks."""
import torch
from torch import nn
from torch.func import functional_call, grad, vmap


class Risk(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(3, 4)
        self.out = nn.Linear(4, 1)

    def forward(self, patient):
        return self.out(torch.tanh(self.hidden(patient))).squeeze(-1)


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 1.2 + k).view_as(p))
    return model


class PrivateTrainer:
    def __init__(self, model, bound=1.0):
        self.model, self.bound = model, bound
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def loss(self, weights, patient, ill):
        score = functional_call(self.model, weights, (patient,))
        return nn.functional.binary_cross_entropy_with_logits(score, ill)

    def step(self, patients, ill):
        weights = {name: p.detach() for name, p in self.model.named_parameters()}
        each = vmap(grad(self.loss), in_dims=(None, 0, 0))(weights, patients, ill)
        norms = torch.stack([g.flatten(1).norm(dim=1) for g in each.values()]).norm(dim=0)
        factor = (self.bound / norms).clamp(max=1.0)
        for name, parameter in self.model.named_parameters():
            parameter.grad = torch.einsum("n,n...->...", factor, each[name]) / len(patients)
        self.optimizer.step()


def broken():
    model = initialise(Risk())
    trainer = PrivateTrainer(model)
    patients = torch.sin(torch.arange(15.0)).view(5, 3)
    for _ in range(2):
        trainer.step(patients, torch.tensor([0.0, 1.0, 0.0, 1.0, 1.0]))
    return {f"model.{name}": p.grad for name, p in model.named_parameters()}


if __name__ == "__main__":
    print(broken())
