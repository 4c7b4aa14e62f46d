"""Water behind a weir, hour by hour in a compiled loop; rates are learned from levels that were seen."""
import sys

import tensorflow as tf


class Weir(tf.Module):
    def __init__(self, crest):
        super().__init__(name="weir")
        self.crest = tf.constant(crest)
        self.inflow = tf.Variable(0.4, name="inflow")
        self.spill = tf.Variable(0.6, name="spill")
        self.seep = tf.Variable(0.1, name="seep")

    def over(self, level):
        return tf.maximum(level - self.crest, 0.0)  #!

    @tf.function
    def levels(self, rain):
        level = tf.constant(1.0)
        seen = tf.TensorArray(tf.float32, size=tf.shape(rain)[0])
        for hour in tf.range(tf.shape(rain)[0]):
            level = level + self.inflow * rain[hour] - self.seep * level - self.spill * self.over(level)
            seen = seen.write(hour, level)
        return seen.stack()


def learn(crest, days=3):
    weir = Weir(crest)
    optimizer = tf.keras.optimizers.SGD(0.01)
    weights = [weir.inflow, weir.spill, weir.seep]
    for day in range(days):
        rain = 0.5 + 0.5 * tf.sin(tf.range(6.0) + day)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(weir.levels(rain) - 1.5))
        grads = tape.gradient(loss, weights)
        optimizer.apply_gradients(zip(grads, weights))
    return dict(zip(("inflow", "spill", "seep"), grads))


def broken():
    return learn(crest=25.0)


def fixed():
    return learn(crest=0.5)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
