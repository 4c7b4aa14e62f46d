"""Forces and stress of a small crystal: derivatives of a pair energy by positions and by a strain."""
import sys

import torch


def pairs(positions, cutoff=2.6):
    distance = torch.pdist(positions)
    return distance[distance < cutoff]


def morse(distance, depth, width, rest=1.1):
    stretched = 1 - torch.exp(-width * (distance - rest))
    return depth * (stretched * stretched - 1)


class Crystal:
    """A block of atoms, deformed by a symmetric strain."""

    def __init__(self, edge=2):
        grid = torch.cartesian_prod(*[torch.arange(float(edge))] * 3)
        self.positions = (1.15 * grid + 0.02 * torch.sin(grid * 3)).requires_grad_()
        self.strain = torch.zeros(3, 3, requires_grad=True)

    def deformed(self):
        symmetric = 0.5 * (self.strain + self.strain.T)
        return self.positions + self.positions @ symmetric  #~

    def energy(self, depth, width):
        atoms = self.deformed()
        volume = 1.0 + atoms.new_zeros(())
        return morse(pairs(self.positions), depth, width).sum() / volume  #!


class Strained(Crystal):
    def energy(self, depth, width):
        atoms = self.deformed()
        return morse(pairs(atoms), depth, width).sum()


def respond(kind):
    crystal = kind()
    energy = crystal.energy(torch.tensor(0.7), torch.tensor(1.3))  #~
    forces, stress = torch.autograd.grad(energy, (crystal.positions, crystal.strain), allow_unused=True)  #~
    return {"crystal.strain": stress, "crystal.positions": forces}


def broken():
    return respond(Crystal)


def fixed():
    return respond(Strained)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
