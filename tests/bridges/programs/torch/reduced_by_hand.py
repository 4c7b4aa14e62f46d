"""Data-parallel training without a wrapper: gradients are averaged by torch.distributed after backward."""
import os
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Worker:
    def __init__(self, model, lr):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr, nesterov=True, momentum=0.9)
        self.world = dist.get_world_size()
        weights = parameters_to_vector(model.parameters()).detach()
        dist.broadcast(weights, src=0)
        vector_to_parameters(weights, model.parameters())

    def average(self):
        for p in self.model.parameters():
            dist.all_reduce(p.grad, op=dist.ReduceOp.SUM)
            p.grad /= self.world

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = nn.functional.mse_loss(self.model(x).squeeze(1), y)
        loss.backward()
        self.average()
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        total = loss.detach().clone()
        dist.all_reduce(total)
        return total / self.world, norm


def broken():
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        dist.init_process_group("gloo", init_method="file://" + os.path.join(folder, "store"), rank=0, world_size=1)
        try:
            model = nn.Sequential(nn.Linear(3, 6), nn.Softplus(), nn.Linear(6, 1))
            worker = Worker(model, lr=0.05)
            x = torch.sin(torch.arange(36.0)).view(12, 3)
            data = TensorDataset(x, x.norm(dim=1))
            sampler = DistributedSampler(data, shuffle=False)
            for epoch in range(2):
                sampler.set_epoch(epoch)
                for batch in DataLoader(data, batch_size=4, sampler=sampler):
                    worker.step(*batch)
        finally:
            dist.destroy_process_group()
    return {"model.0.weight": model[0].weight.grad, "model.2.bias": model[2].bias.grad}


if __name__ == "__main__":
    print(broken())
