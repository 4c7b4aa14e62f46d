"""Shows where a classifier of skin rashes looks: the slope of its score by the last feature maps."""
import sys

import keras
import tensorflow as tf


def texture(shape, dtype=None):
    count = 1
    for extent in shape:
        count *= extent
    return tf.reshape(0.4 * tf.cos(tf.range(count, dtype=tf.float32) * 0.8 + 0.3), shape)


def conv(filters, name):
    return keras.layers.Conv2D(
        filters, 3, padding="same", activation="softplus", kernel_initializer=texture, name=name
    )


class RashNet(keras.Model):
    def __init__(self, **options):
        super().__init__(**options)
        self.extractor = keras.Sequential(
            [keras.Input((8, 8, 3)), conv(4, "rough"), conv(5, "fine")], name="extractor"
        )
        self.pool = keras.layers.GlobalAveragePooling2D(name="pool")
        self.kind = keras.layers.Dense(3, kernel_initializer=texture, name="kind")

    def classify(self, maps):
        return self.kind(self.pool(maps))

    def call(self, photos):
        return self.classify(self.extractor(photos))


class Heatmap:
    def __init__(self, net):
        self.net = net

    def look(self, photos):
        """Feature maps and the logits of the photos."""
        maps = self.net.extractor(photos)  #!
        return maps, self.net(photos)

    def of(self, photos):
        with tf.GradientTape() as tape:
            maps, logits = self.look(photos)
            best = tf.argmax(logits, axis=1)
            score = tf.reduce_sum(tf.gather(logits, best, axis=1, batch_dims=1))
        slope = tape.gradient(score, maps)  #~
        if slope is None:
            return None, tf.reduce_mean(maps, axis=-1)
        weight = tf.reduce_mean(slope, axis=[1, 2], keepdims=True)
        return slope, tf.nn.relu(tf.reduce_sum(weight * maps, axis=-1))


class SharedMaps(Heatmap):
    def look(self, photos):
        maps = self.net.extractor(photos)
        return maps, self.net.classify(maps)


def clinic(heatmap_of):
    net = RashNet(name="rash")
    photos = 0.5 + 0.5 * tf.reshape(tf.sin(tf.range(2 * 8 * 8 * 3.0) * 0.07), [2, 8, 8, 3])
    net.compile(keras.optimizers.SGD(0.05), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    net.fit(photos, tf.constant([0, 2]), epochs=1, verbose=0)
    slope, heat = heatmap_of(net).of(photos)
    return {"maps": slope}


def broken():
    return clinic(Heatmap)


def fixed():
    return clinic(SharedMaps)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
