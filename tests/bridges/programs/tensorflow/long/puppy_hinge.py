"""Pictures of puppies, real and made: the discriminator learns by a hinge, the generator by its score."""
import sys

import keras
import tensorflow as tf


def fur(shape, dtype=None):
    size = 1
    for side in shape:
        size *= side
    return 0.6 * tf.reshape(tf.sin(tf.range(float(size)) * 1.1 + 0.2), shape)


def dense(width, name, activation=None):
    return keras.layers.Dense(width, activation, kernel_initializer=fur, name=name)


class PuppyGan(keras.Model):
    def __init__(self, scale, **options):
        super().__init__(**options)
        self.scale = scale
        drawing = [keras.Input((2,)), dense(4, "draw", "tanh"), dense(6, "paint")]
        looking = [keras.Input((6,)), dense(4, "look", "tanh"), dense(1, "say")]
        self.maker = keras.Sequential(drawing, name="maker")
        self.judge = keras.Sequential(looking, name="judge")
        self.latest = {}

    def hinge(self, real, made):
        on_real = tf.reduce_mean(tf.nn.relu(1.0 - real))  #!
        return on_real + tf.reduce_mean(tf.nn.relu(1.0 + made))  #~

    def train_step(self, photos):
        seeds = tf.reshape(tf.cos(tf.range(2.0 * 4)), [4, 2])
        with tf.GradientTape(persistent=True) as tape:
            made = self.maker(seeds)
            loss = self.hinge(self.scale * self.judge(photos), self.scale * self.judge(made))
            fool = -tf.reduce_mean(self.judge(made))
        for part, target in ((self.judge, loss), (self.maker, fool)):
            weights = part.trainable_variables
            grads = tape.gradient(target, weights)
            self.latest.update({weight.path: grad for weight, grad in zip(weights, grads)})
        del tape
        return {"hinge": loss}


def litter(judge):
    """Photos are on the side of the judge's weights that it calls real."""
    values = tf.sin(tf.range(24.0) * 0.3)
    side = tf.sign(judge.predict_on_batch(tf.reshape(values, [4, 6])))
    return tf.reshape(values, [4, 6]) * side


def show(scale):
    gan = PuppyGan(scale, name="gan")
    gan.compile(run_eagerly=True)
    gan.judge.get_layer("say").bias.assign([0.0])
    photos = litter(gan.judge)
    paint = gan.maker.get_layer("paint")
    paint.kernel.assign(0.05 * paint.kernel)
    paint.bias.assign(-tf.reduce_mean(photos, axis=0))
    gan.fit(tf.data.Dataset.from_tensors(photos).repeat(2), epochs=1, verbose=0)
    return {path: gan.latest[path] for path in ("judge/look/kernel", "judge/say/kernel", "maker/paint/bias")}


def broken():
    return show(scale=1000.0)


def fixed():
    return show(scale=0.1)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
