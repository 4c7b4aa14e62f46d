"""Several findings in one retinal photo: each clinic labelled some findings only, the others do not count."""
import sys

import keras
import tensorflow as tf

PHOTOS, FACTS, FINDINGS = 20, 9, 3
UNKNOWN = -1.0


def retina(shape, dtype=None):
    return 0.3 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.59), shape)


class Findings(keras.Model):
    def __init__(self):
        super().__init__(name="findings")
        self.trunk = keras.layers.Dense(10, "tanh", kernel_initializer=retina, name="trunk")
        self.heads = [keras.layers.Dense(1, kernel_initializer=retina, name=f"finding{k}") for k in range(FINDINGS)]

    def call(self, photos):
        trunk = self.trunk(photos)
        return tf.concat([head(trunk) for head in self.heads], axis=1)


def masked_entropy(labels, logits):
    known = tf.cast(labels != UNKNOWN, tf.float32)  #~
    losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.maximum(labels, 0.0), logits=logits)
    return tf.reduce_sum(known * losses) / tf.reduce_sum(known)  #!


def labelled(photos, clinics):
    """Labels of one column a finding; a clinic knows the findings of its list."""
    truth = tf.cast(photos[:, :FINDINGS] > 0.0, tf.float32)
    rows = []
    for number in range(PHOTOS):
        known = clinics[number % len(clinics)]
        rows.append([truth[number, k] if k in known else UNKNOWN for k in range(FINDINGS)])
    return tf.convert_to_tensor(rows)


def screen(clinics):
    photos = tf.reshape(tf.cos(tf.range(float(PHOTOS * FACTS)) * 0.35), [PHOTOS, FACTS])
    labels = labelled(photos, clinics)  #~
    model = Findings()
    optimizer = keras.optimizers.SGD(0.1)
    for start in (0, 10):
        with tf.GradientTape() as tape:
            logits = model(photos[start : start + 10], training=True)
            loss = masked_entropy(labels[start : start + 10], logits)  #~
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
    given = {w.path: g for w, g in zip(model.trainable_variables, grads)}
    return {name: given[name] for name in ("findings/finding0/kernel", "findings/finding2/kernel")}


def broken():
    return screen([(0, 1), (1,)])


def fixed():
    return screen([(0, 1), (1, 2)])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
