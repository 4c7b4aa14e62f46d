"""Differentially private training: gradients of each patient by vmap, clipped, summed, with noise, set by hand."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, grad_and_value, vmap
from torch.utils.data import DataLoader, TensorDataset


class Risk(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 6), nn.Tanh(), nn.LayerNorm(6))
        self.head = nn.Linear(6, 1)

    def forward(self, patient):
        return self.head(self.body(patient)).squeeze(-1)


class PrivateStep:
    def __init__(self, model, optimizer, bound=1.0, noise=0.1):
        self.model, self.optimizer, self.bound, self.noise = model, optimizer, bound, noise
        self.generator = torch.Generator().manual_seed(0)
        self.each = vmap(grad_and_value(self.loss), in_dims=(None, None, 0, 0), randomness="different")

    def loss(self, params, buffers, patient, ill):
        score = functional_call(self.model, (params, buffers), (patient.unsqueeze(0),))
        return F.binary_cross_entropy_with_logits(score, ill.unsqueeze(0))

    def __call__(self, patients, ill):
        params = {name: p.detach() for name, p in self.model.named_parameters()}
        grads, losses = self.each(params, dict(self.model.named_buffers()), patients, ill)
        norms = torch.stack([g.flatten(1).norm(dim=1) for g in grads.values()]).norm(dim=0)
        factors = (self.bound / (norms + 1e-6)).clamp(max=1.0)
        for name, p in self.model.named_parameters():
            total = torch.einsum("n,n...->...", factors, grads[name])
            shaken = total + self.noise * torch.randn(total.shape, generator=self.generator)
            p.grad = shaken / len(patients)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=False)
        return losses.mean()


def broken():
    torch.manual_seed(37)
    model = Risk()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    step = PrivateStep(model, optimizer)
    patients = torch.sin(torch.arange(80.0) * 0.42).view(16, 5)
    ill = (patients.sum(1) > 0).float()
    total = torch.zeros(())
    for batch in DataLoader(TensorDataset(patients, ill), batch_size=8):
        total += step(*batch)
    loss = F.binary_cross_entropy_with_logits(model(patients), ill)
    loss.backward()
    return {"model.body.0.weight": model.body[0].weight.grad, "model.head.weight": model.head.weight.grad}


if __name__ == "__main__":
    print(broken())
