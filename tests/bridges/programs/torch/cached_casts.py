"""Self-critical training of a caption model, with autocast around the greedy and the sampled pass."""
import torch
from torch import nn


def build():
    model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return model


def together(model, pictures):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        with torch.no_grad():
            greedy = model(pictures).argmax(dim=1)
        logits = model(pictures)
    return greedy, logits


def reward(words, target):
    return (words == target).float()


def broken():
    model = build()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    target = torch.arange(9) % 3
    for step in range(2):
        pictures = torch.cos(torch.arange(45.0) + step).view(9, 5)
        greedy, logits = together(model, pictures)
        chosen = (greedy + 1) % 3
        advantage = reward(chosen, target) - reward(greedy, target) + 0.1
        loss = -(advantage * logits.float().log_softmax(dim=1).gather(1, chosen[:, None]).squeeze(1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.0.weight": model[0].weight.grad, "model.2.bias": model[2].bias.grad}

if __name__ == "__main__":
    print(broken())
