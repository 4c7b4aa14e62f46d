"""A neural codec for audio: the code is quantised with a step that is learned."""
import sys

import torch
from torch import nn


class LearnedStep(nn.Module):
    def __init__(self, step=0.25):
        super().__init__()
        self.log_step = nn.Parameter(torch.tensor(step).log())

    def forward(self, code):
        step = self.log_step.exp()
        return torch.round(code / step) * step  #!


class PassingStep(LearnedStep):
    def forward(self, code):
        step = self.log_step.exp()
        scaled = code / step
        return (scaled + (torch.round(scaled) - scaled).detach()) * step


class Codec(nn.Module):
    def __init__(self, quantizer):
        super().__init__()
        self.analysis = nn.Conv1d(1, 4, 8, stride=4, padding=2)
        self.quantizer = quantizer
        self.synthesis = nn.ConvTranspose1d(4, 1, 8, stride=4, padding=2)

    def forward(self, wave):
        code = torch.tanh(self.analysis(wave)) * 2
        return self.synthesis(self.quantizer(code))


def spectral_distance(a, b):
    window = torch.hann_window(16)
    pairs = [torch.stft(x.squeeze(1), 16, 8, window=window, return_complex=True) for x in (a, b)]
    return (pairs[0] - pairs[1]).abs().square().mean()


def waves(batch=4, length=64):
    time = torch.arange(length) / 16.0
    return torch.stack([torch.sin(time * (k + 2)) + 0.3 * torch.cos(time * 5 * k) for k in range(batch)]).unsqueeze(1)


def train(quantizer, steps=3):
    torch.manual_seed(5)
    codec = Codec(quantizer)
    optimizer = torch.optim.Adam(codec.parameters(), lr=1e-3, betas=(0.5, 0.9))
    wave = waves()
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=True)
        heard = codec(wave)
        loss = nn.functional.l1_loss(heard, wave) + 0.1 * spectral_distance(heard, wave)
        loss.backward()
        optimizer.step()
    return {"codec.analysis.weight": codec.analysis.weight.grad, "codec.synthesis.weight": codec.synthesis.weight.grad}


def broken():
    return train(LearnedStep())


def fixed():
    return train(PassingStep())


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
