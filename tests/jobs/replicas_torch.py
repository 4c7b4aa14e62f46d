"""A user's program of several processes, which torchrun starts: replicas_torch.py HOW [FAULT].

HOW: ddp, views (DDP whose gradients are views of what it exchanges), own (all_reduce of each gradient), alone (no exchange: each rank trains another
model). FAULT, of rank 1: parts (another update after step 2), slow (rests in each step), seed (begins with other values).
"""
import sys
import time

import torch
import torch.distributed
from torch.nn.parallel import DistributedDataParallel

how, fault = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
torch.set_num_threads(1)
torch.distributed.init_process_group("gloo")
rank = torch.distributed.get_rank()
if rank != 1:
    fault = ""

torch.manual_seed(rank if how == "alone" or fault == "seed" else 0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
called = DistributedDataParallel(model, gradient_as_bucket_view=how == "views") if how in ("ddp", "views") else model
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
torch.manual_seed(10 + rank)
x = torch.randn(32, 8)
y = x.sum(1, keepdim=True)
losses = []
for step in range(8):
    optimizer.zero_grad()
    loss = (called(x) - y).square().mean()
    loss.backward()
    if fault == "slow":
        time.sleep(0.1)
    if how == "own":
        for parameter in model.parameters():
            torch.distributed.all_reduce(parameter.grad)
            parameter.grad /= torch.distributed.get_world_size()
    optimizer.step()
    if rank == 0:
        losses.append(loss.item())  # which the others do not do
    if fault == "parts" and step == 2:
        with torch.no_grad():
            model[2].weight.mul_(1.01)
print(f"rank {rank}: {loss.item():.6f}")
torch.distributed.barrier()
torch.distributed.destroy_process_group()
