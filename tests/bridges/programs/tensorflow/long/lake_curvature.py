"""How sharp the minimum of a lake model is: steps along the gradient of all weights as one vector."""
import sys

import tensorflow as tf


class LakeModel:
    """Weights live in a list of dictionaries, one for a layer."""

    def __init__(self, sizes=(4, 6, 1)):
        self.layers = []
        for number, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
            wave = tf.sin(tf.range(float(inputs * outputs)) * 0.8 + number)
            self.layers.append({
                "kernel": tf.Variable(0.4 * tf.reshape(wave, [inputs, outputs]), name=f"kernel_{number}"),
                "bias": tf.Variable(tf.zeros([outputs]), name=f"bias_{number}"),
            })

    def variables(self):
        return tf.nest.flatten(self.layers)

    def __call__(self, weather):
        x = weather
        for layer in self.layers[:-1]:
            x = tf.nn.softplus(x @ layer["kernel"] + layer["bias"])
        return tf.squeeze(x @ self.layers[-1]["kernel"] + self.layers[-1]["bias"], axis=1)


def as_vector(tensors):
    return tf.concat([tf.reshape(tensor, [-1]) for tensor in tensors], axis=0)  #!


class Sharpness:
    def __init__(self, model, weather, level):
        self.model, self.weather, self.level = model, weather, level

    def loss(self):
        return tf.reduce_mean(tf.square(self.model(self.weather) - self.level))

    def slope(self):
        with tf.GradientTape() as tape:
            theta = as_vector(self.model.variables())  #~
            loss = self.loss()
        return loss, tape.gradient(loss, theta)  #~

    def add(self, step):
        sizes = [int(tf.size(variable)) for variable in self.model.variables()]
        for variable, part in zip(self.model.variables(), tf.split(step, sizes)):
            variable.assign_add(tf.reshape(part, variable.shape))

    def ascend(self, radius=0.05):
        loss, slope = self.slope()
        if slope is None:
            return slope, tf.zeros([])
        step = radius * slope / (tf.norm(slope) + 1e-12)
        self.add(step)
        sharper, _ = self.slope()
        self.add(-step)
        return slope, sharper - loss


class VariableSharpness(Sharpness):
    def slope(self):
        with tf.GradientTape() as tape:
            loss = self.loss()
        return loss, as_vector(tape.gradient(loss, self.model.variables()))


def measure(kind):
    weather = tf.reshape(tf.cos(tf.range(32.0) * 0.4), [8, 4])
    slope, rise = kind(LakeModel(), weather, tf.linspace(1.0, 2.0, 8)).ascend()
    return {"theta": slope}


def broken():
    return measure(Sharpness)


def fixed():
    return measure(VariableSharpness)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
