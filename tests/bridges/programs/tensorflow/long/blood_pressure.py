"""Blood pressure by a network that keeps its own running scale of the readings, as batch normalization does."""
import sys

import tensorflow as tf


class RunningScale(tf.Module):
    def __init__(self, through_state, momentum=0.5):
        super().__init__(name="running_scale")
        self.through_state, self.momentum = through_state, momentum
        self.spread = tf.Variable(1.0, trainable=False, name="spread")

    def __call__(self, readings):
        now = tf.sqrt(tf.reduce_mean(tf.square(readings)) + 1e-3)
        if self.through_state:
            self.spread.assign(self.momentum * self.spread + (1.0 - self.momentum) * now)  #!
            return self.spread
        return now


class Patient(tf.Module):
    def __init__(self, through_state):
        super().__init__(name="patient")
        self.scale = RunningScale(through_state)
        self.cuff = tf.Variable(1.2, name="cuff")
        self.age_slope = tf.Variable([0.3, -0.1], name="age_slope")

    def risk(self, pressure, ages):
        spread = self.scale(self.cuff * pressure)
        return tf.linalg.matvec(ages, self.age_slope) + spread


def visits(count):
    for visit in range(count):
        pressure = 1.2 + 0.1 * tf.sin(tf.range(5.0) + visit)
        yield pressure, tf.reshape(tf.cos(tf.range(10.0) + visit), [5, 2])


def follow(through_state):
    patient = Patient(through_state)
    for pressure, ages in visits(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(patient.risk(pressure, ages) - 0.4))
        cuff, age_slope = tape.gradient(loss, [patient.cuff, patient.age_slope])
        patient.age_slope.assign_sub(0.1 * age_slope)
    return {"cuff": cuff, "age_slope": age_slope}


def broken():
    return follow(through_state=True)


def fixed():
    return follow(through_state=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
