"""How the sway of a footbridge depends on its constants, one gradient for all of them."""
import sys

import torch


def damping_force(speed, damping):
    return damping * speed


def sway(stiffness, damping, mass, force, steps=12, dt=0.1):
    x, v = torch.zeros(()), torch.tensor(0.3)
    path = []
    for k in range(steps):
        drag = force(v, damping)
        v = v + dt * (torch.sin(torch.tensor(0.5 * k)) - stiffness * x - drag) / mass
        x = x + dt * v
        path.append(x)
    return torch.stack(path).square().mean().sqrt()


def viscous(speed, damping):
    return damping_force(speed, damping)


def lagged(speed, damping):
    return damping_force(speed, damping).detach()  #!


def sensitivities(force):
    stiffness = torch.tensor(4.0, requires_grad=True)
    damping = torch.tensor(0.3, requires_grad=True)
    mass = torch.tensor(1.2, requires_grad=True)
    amplitude = sway(stiffness, damping, mass, force)
    slopes = torch.autograd.grad(amplitude, (stiffness, damping, mass), materialize_grads=True)
    shares = [slope * value.detach() / amplitude.detach() for slope, value in zip(slopes, (stiffness, damping, mass))]
    return dict(zip(("stiffness", "damping", "mass"), shares))


def broken():
    return sensitivities(lagged)


def fixed():
    return sensitivities(viscous)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
