"""A spiking net that hears crickets: neurons integrate a band's loudness and fire above a threshold."""
import sys

import tensorflow as tf


@tf.custom_gradient
def soft_spike(excess):
    def backward(upstream):
        return upstream / tf.square(1.0 + 5.0 * tf.abs(excess))

    return tf.cast(excess > 0.0, excess.dtype), backward


class Population(tf.Module):
    """Leaky neurons: the potential decays, the input adds, a spike takes the threshold away."""

    def __init__(self, inputs, neurons, decay=0.8):
        super().__init__(name="population")
        wave = tf.sin(tf.range(float(inputs * neurons)) * 0.7)
        self.synapses = tf.Variable(0.2 + 0.6 * tf.reshape(wave, [inputs, neurons]), name="synapses")
        self.threshold = tf.Variable(0.6 * tf.ones([neurons]), name="threshold")
        self.decay = decay

    def fire(self, potential):
        return tf.cast(tf.greater(potential, self.threshold), tf.float32)  #!

    def run(self, loudness):
        potential = tf.zeros([loudness.shape[0], self.threshold.shape[0]])
        spikes = []
        for moment in tf.unstack(loudness, axis=1):
            potential = self.decay * potential + moment @ self.synapses
            fired = self.fire(potential)
            potential -= tf.stop_gradient(fired) * self.threshold
            spikes.append(fired)
        return tf.stack(spikes, axis=1)


class SoftPopulation(Population):
    def fire(self, potential):
        return soft_spike(potential - self.threshold)


class Listener(tf.Module):
    def __init__(self, population):
        super().__init__(name="listener")
        self.population = population
        self.readout = tf.Variable(0.3 * tf.reshape(tf.cos(tf.range(8.0)), [4, 2]), name="readout")

    def __call__(self, loudness):
        rate = tf.reduce_mean(self.population.run(loudness), axis=1)
        return rate @ self.readout


def meadow(nights=6, moments=5, bands=3):
    loudness = 0.5 + 0.5 * tf.sin(tf.range(float(nights * moments * bands)) * 0.9)
    return tf.reshape(loudness, [nights, moments, bands]), tf.range(nights) % 2


def train(population, epochs=3, rate=0.2):
    listener = Listener(population)
    loudness, species = meadow()
    sources = {
        "synapses": population.synapses, "threshold": population.threshold, "readout": listener.readout
    }
    for _ in range(epochs):
        with tf.GradientTape() as tape:
            logits = listener(loudness)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(species, logits))
            loss += 1e-4 * tf.nn.l2_loss(listener.readout)
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            if grads[name] is not None:
                source.assign_sub(rate * grads[name])
    return grads


def broken():
    return train(Population(3, 4))


def fixed():
    return train(SoftPopulation(3, 4))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
