"""Fits the transit of a planet before its star by Gauss and Newton: depth, centre, width and slope of the limb."""
import sys

import tensorflow as tf

EXPOSURES = 36


class Transit(tf.Module):
    def __init__(self):
        super().__init__(name="transit")
        self.depth = tf.Variable(0.8, name="depth")
        self.centre = tf.Variable(0.1, name="centre")
        self.width = tf.Variable(0.9, name="width")
        self.limb = tf.Variable(3.0, name="limb")

    def parameters(self):
        return [self.depth, self.centre, self.width, self.limb]

    def flux(self, hours):
        distance = tf.abs(hours - self.centre) - self.width
        return 1.0 - self.depth * tf.sigmoid(-self.limb * distance)


class LevenbergMarquardt:
    def __init__(self, model, damping=1e-2):
        self.model, self.damping = model, damping

    def residuals(self, hours, observed):
        return (self.model.flux(hours) - observed) / 0.05

    def linearise(self, hours, observed):
        with tf.GradientTape(persistent=True) as tape:  #~
            residuals = self.residuals(hours, observed)
            rows = tf.unstack(residuals)  #~
        slopes = []
        for row in rows:  #~
            slopes.append(tf.stack(tape.gradient(row, self.model.parameters())))  #!
        del tape
        return residuals, tf.stack(slopes)

    def update(self, residuals, slopes):
        normal = tf.matmul(slopes, slopes, transpose_a=True)
        damped = normal + self.damping * tf.linalg.diag(tf.linalg.diag_part(normal))
        step = tf.linalg.solve(damped, tf.linalg.matvec(slopes, residuals, transpose_a=True)[:, None])[:, 0]
        for variable, part in zip(self.model.parameters(), tf.unstack(step)):
            variable.assign_sub(part)


class AtOnce(LevenbergMarquardt):
    def linearise(self, hours, observed):
        with tf.GradientTape() as tape:
            residuals = self.residuals(hours, observed)
        return residuals, tf.stack(tape.jacobian(residuals, self.model.parameters()), axis=1)


def night():
    hours = tf.linspace(-2.5, 2.5, EXPOSURES)
    observed = 1.0 - 0.6 * tf.sigmoid(-5.0 * (tf.abs(hours + 0.05) - 1.1)) + 0.004 * tf.sin(hours * 31.0)
    return hours, observed


def fit(fitter):
    model = Transit()
    hours, observed = night()
    solver = fitter(model)
    for _ in range(2):
        residuals, slopes = solver.linearise(hours, observed)
        solver.update(residuals, slopes)
    return {v.name.split(":")[0]: tf.reduce_sum(slopes[:, k] * residuals) for k, v in enumerate(model.parameters())}


def broken():
    return fit(LevenbergMarquardt)


def fixed():
    return fit(AtOnce)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
