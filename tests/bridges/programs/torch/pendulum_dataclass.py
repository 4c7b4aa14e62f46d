"""System identification of a damped pendulum; its constants stand in a dataclass."""
import dataclasses
import sys

import torch


@dataclasses.dataclass
class Pendulum:
    length: torch.Tensor
    damping: torch.Tensor
    gravity: float = 9.81

    def acceleration(self, angle, speed):
        return -self.gravity / self.length * torch.sin(angle) - self.damping * speed


def constants(value):
    return torch.tensor(value, requires_grad=True)


def as_arguments(pendulum):
    return dataclasses.asdict(pendulum)  #!


def as_fields(pendulum):
    return {f.name: getattr(pendulum, f.name) for f in dataclasses.fields(pendulum)}


def swing(angle, steps, dt, **constants_of):
    pendulum, speed, track = Pendulum(**constants_of), torch.zeros(()), []
    for _ in range(steps):
        speed = speed + dt * pendulum.acceleration(angle, speed)
        angle = angle + dt * speed
        track.append(angle)
    return torch.stack(track)


def identify(collect, steps=8):
    guess = Pendulum(length=constants(1.2), damping=constants(0.05))
    with torch.no_grad():
        seen = swing(torch.tensor(0.6), steps, 0.05, length=torch.tensor(1.0), damping=torch.tensor(0.1))
    optimizer = torch.optim.SGD([guess.length, guess.damping], lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        error = (swing(torch.tensor(0.6), steps, 0.05, **collect(guess)) - seen).norm()
        error.backward()
        optimizer.step()
    return {"guess.length": guess.length.grad, "guess.damping": guess.damping.grad}


def broken():
    return identify(as_arguments)


def fixed():
    return identify(as_fields)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
