"""Forces on a plough: the soil's stiffness is updated by a physics step between model and loss."""
import sys

import tensorflow as tf


class Soil(tf.Module):
    def __init__(self):
        super().__init__(name="soil")
        self.stiffness = tf.Variable([0.5, 0.8, 1.1], name="stiffness")
        self.moisture = tf.Variable(0.3, name="moisture")
        self.state = tf.Variable(tf.zeros([3]), trainable=False, name="state")

    def settle(self, push, through_state):
        pressed = self.stiffness * push
        if through_state:
            self.state.assign(0.9 * self.state + pressed)  #!
            return self.state.read_value()  #~
        return 0.9 * self.state + pressed


@tf.function
def furrow(soil, push, through_state):
    with tf.GradientTape() as tape:
        depth = soil.settle(push, through_state) * tf.exp(-soil.moisture)  #~
        loss = tf.reduce_mean(tf.square(depth - 1.0))
    return tape.gradient(loss, [soil.stiffness, soil.moisture])


def plough(through_state, rows=3):
    soil = Soil()
    for row in range(rows):
        stiffness, moisture = furrow(soil, tf.constant([1.0, 0.7, 0.4]) + 0.1 * row, through_state)
        if stiffness is not None:
            soil.stiffness.assign_sub(0.1 * stiffness)
        soil.moisture.assign_sub(0.1 * moisture)
    return {"stiffness": stiffness, "moisture": moisture}


def broken():
    return plough(True)


def fixed():
    return plough(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
