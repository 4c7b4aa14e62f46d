"""Transfers a net for satellite images: a frozen backbone in eval mode, a new head, features cached."""
import torch
import torch.nn.functional as F
from torch import nn


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.norm = nn.BatchNorm2d(4)

    def forward(self, image):
        return F.relu(self.norm(self.conv(image))).mean(dim=(2, 3))


class Landuse(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.eval().requires_grad_(False)
        self.head = nn.Sequential(nn.Linear(4, 6), nn.Dropout(0.0), nn.ReLU(), nn.Linear(6, 3))

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()
        return self

    def forward(self, image):
        with torch.no_grad():
            features = self.backbone(image)
        return self.head(features)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def broken():
    model = Landuse(settle(Backbone()))
    settle(model.head)
    optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=1e-2)
    images, uses = torch.sin(torch.arange(216.0)).view(6, 1, 6, 6), torch.arange(6) % 3
    for epoch in range(3):
        model.train()
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), uses, label_smoothing=0.1)
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.inference_mode():
            hits = (model(images).argmax(dim=1) == uses).sum().item()
    return {"model.head.0.weight": model.head[0].weight.grad, "model.head.3.bias": model.head[3].bias.grad}


if __name__ == "__main__":
    print(broken())
