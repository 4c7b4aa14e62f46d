"""Predicts the band gap of crystals: message passing over bonds, crystal after crystal."""
import sys

import tensorflow as tf


class Message(tf.Module):
    def __init__(self, width=4):
        super().__init__(name="message")
        wave = tf.sin(tf.range(float(2 * width * width)) * 0.6)
        self.bond = tf.Variable(0.3 * tf.reshape(wave, [2 * width, width]), name="bond")
        self.atom = tf.Variable(
            0.3 * tf.reshape(tf.cos(tf.range(float(width * width))), [width, width]), name="atom"
        )

    def __call__(self, atoms, bonds):
        ends = tf.concat([tf.gather(atoms, bonds[:, 0]), tf.gather(atoms, bonds[:, 1])], axis=1)
        sent = tf.nn.softplus(ends @ self.bond)
        heard = tf.math.unsorted_segment_sum(sent, bonds[:, 1], tf.shape(atoms)[0])
        return tf.tanh(atoms @ self.atom + heard)


class GapModel(tf.Module):
    def __init__(self, rounds=2, width=4):
        super().__init__(name="gap")
        self.message = Message(width)
        self.rounds = rounds
        self.readout = tf.Variable(0.5 * tf.cos(tf.range(float(width)))[:, tf.newaxis], name="readout")

    def atoms_of(self, atoms, bonds):
        for _ in range(self.rounds):
            atoms = self.message(atoms, bonds)
        return atoms @ self.readout

    def gaps(self, crystals):
        found = []
        for atoms, bonds in crystals:
            found.append(tf.reduce_mean(self.atoms_of(atoms, bonds)))  #!
        return tf.stack(found)


class JoinedGapModel(GapModel):
    """All crystals as one graph of unconnected parts."""

    def gaps(self, crystals):
        sizes = [atoms.shape[0] for atoms, _ in crystals]
        starts = [sum(sizes[:k]) for k in range(len(sizes))]
        bonds = tf.concat([bonds + start for (_, bonds), start in zip(crystals, starts)], axis=0)
        owner = tf.repeat(tf.range(len(sizes)), sizes)
        values = self.atoms_of(tf.concat([atoms for atoms, _ in crystals], axis=0), bonds)
        return tf.squeeze(tf.math.segment_mean(values, owner), axis=1)


def crystals(count=16, atoms=5):
    ring = tf.constant([[k, (k + 1) % atoms] for k in range(atoms)])
    for k in range(count):
        yield tf.reshape(tf.sin(tf.range(float(atoms * 4)) + 0.3 * k), [atoms, 4]), ring


def train(model, epochs=2, rate=0.05):
    batch = list(crystals())
    gaps = 1.0 + 0.5 * tf.cos(tf.range(16.0))
    sources = {"bond": model.message.bond, "atom": model.message.atom, "readout": model.readout}
    for _ in range(epochs):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model.gaps(batch) - gaps))
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            source.assign_sub(rate * grads[name])
    return grads


def broken():
    return train(GapModel())


def fixed():
    return train(JoinedGapModel())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
