"""A learned leaky filter of heart pulses: the smoothing factor is fitted in a compiled step."""
import sys

import tensorflow as tf

SAMPLES = 96


class PulseFilter(tf.Module):
    def __init__(self):
        super().__init__()
        self.leak = tf.Variable(0.4, name="leak")
        self.gain = tf.Variable(1.1, name="gain")

    def smooth(self, pulses):
        level, kept = tf.zeros([pulses.shape[0]]), []
        for sample in tf.unstack(pulses, axis=1):
            level = level + tf.sigmoid(self.leak) * (self.gain * sample - level)  #!
            kept.append(level)
        return tf.stack(kept, axis=1)

    def loss(self, pulses, wanted):
        return tf.reduce_mean(tf.square(self.smooth(pulses) - wanted))  #~


class ScanningFilter(PulseFilter):
    def smooth(self, pulses):
        def beat(level, sample):
            return level + tf.sigmoid(self.leak) * (self.gain * sample - level)

        return tf.transpose(tf.scan(beat, tf.transpose(pulses), tf.zeros([pulses.shape[0]])))


def make_step(model, optimizer):
    @tf.function
    def step(pulses, wanted):
        with tf.GradientTape() as tape:
            loss = model.loss(pulses, wanted)
        grads = tape.gradient(loss, [model.leak, model.gain])
        optimizer.apply_gradients(zip(grads, [model.leak, model.gain]))
        return loss, grads

    return step


def fit(model, hours=3):
    optimizer = tf.keras.optimizers.SGD(0.2)
    optimizer.build([model.leak, model.gain])
    step = make_step(model, optimizer)
    for hour in range(hours):
        pulses = tf.sin(tf.reshape(tf.range(4.0 * SAMPLES), [4, SAMPLES]) * 0.3 + float(hour))
        wanted = 0.8 * tf.roll(pulses, 1, axis=1)
        loss, grads = step(pulses, wanted)
    print(f"loss {float(loss):.4f}")
    return {"leak": grads[0], "gain": grads[1]}


def broken():
    return fit(PulseFilter())


def fixed():
    return fit(ScanningFilter())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
