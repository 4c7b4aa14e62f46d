"""Tunes the gains of a valve: two tapes at once, one asked twice, and the slope of a slope as a penalty."""
import tensorflow as tf


class Controller(tf.Module):
    def __init__(self):
        super().__init__(name="controller")
        self.proportional = tf.Variable(0.8, name="proportional")
        self.integral = tf.Variable(0.1, name="integral")
        self.limit = tf.Variable(2.0, trainable=False, name="limit")

    def opening(self, error, total):
        wanted = self.proportional * error + self.integral * total
        return self.limit * tf.tanh(wanted / self.limit)


class Tank:
    def __init__(self, inflow=0.4, dt=0.2):
        self.inflow, self.dt = inflow, dt

    def run(self, controller, setpoint, steps=20):
        level, total, squares = tf.constant(0.2), tf.constant(0.0), tf.constant(0.0)
        for _ in tf.range(steps):
            error = setpoint - level
            total += error * self.dt
            level += self.dt * (controller.opening(error, total) + self.inflow - 0.5 * tf.sqrt(level + 1e-3))
            squares += tf.square(error)
        return level, squares / float(steps)


class Tuning:
    """The cost of control plus how strongly the final level reacts to the setpoint."""

    def __init__(self, tank, controller):
        self.tank, self.controller = tank, controller

    @tf.function
    def gradients(self, setpoint):
        gains = [self.controller.proportional, self.controller.integral]
        with tf.GradientTape(persistent=True) as outer:
            with tf.GradientTape(watch_accessed_variables=False) as inner:
                inner.watch(setpoint)
                level, cost = self.tank.run(self.controller, setpoint)
            reaction = inner.gradient(level, setpoint)
            penalty = tf.square(reaction - 1.0)
        cost_slopes = outer.gradient(cost, gains)
        penalty_slopes = outer.gradient(penalty, gains)
        return cost_slopes, penalty_slopes

    def run(self, rounds=4, rate=0.05):
        for number in range(rounds):
            setpoint = tf.constant(1.0) + 0.1 * tf.cast(number, tf.float32)
            cost_slopes, penalty_slopes = self.gradients(setpoint)
            for gain, one, other in zip(
                (self.controller.proportional, self.controller.integral), cost_slopes, penalty_slopes
            ):
                gain.assign_sub(rate * (one + 0.1 * other))
        return {"proportional": penalty_slopes[0], "integral": penalty_slopes[1]}


def broken():
    return Tuning(Tank(), Controller()).run()


if __name__ == "__main__":
    print(broken())
