"""Poses of dancers at several resolutions: a compiled heat map is drawn for the size of each camera."""
import sys

import tensorflow as tf


class Heatmaps(tf.Module):
    def __init__(self):
        super().__init__(name="heatmaps")
        self.joints = tf.Variable([[0.2, 0.3], [0.6, 0.5], [0.8, 0.9]], name="joints")
        self.width = tf.Variable(0.3, name="width")

    def grid(self, size):
        rows = (tf.range(size[0], dtype=tf.float32) + 0.5) / tf.cast(size[0], tf.float32)
        columns = (tf.range(size[1], dtype=tf.float32) + 0.5) / tf.cast(size[1], tf.float32)
        return tf.stack(tf.meshgrid(rows, columns, indexing="ij"), axis=-1)

    @tf.function
    def draw(self, frame, size):
        away = self.grid(size)[None] - self.joints[:, None, None, :]
        maps = tf.exp(-tf.reduce_sum(tf.square(away), -1) / (2.0 * tf.square(self.width)))
        return tf.reduce_mean(tf.square(tf.reduce_max(maps, axis=0) - tf.reduce_mean(frame)))


class Studio:
    def __init__(self, cameras, as_tensor):
        self.cameras, self.as_tensor = cameras, as_tensor
        self.maps = Heatmaps()
        self.optimizer = tf.keras.optimizers.SGD(0.1)

    def rehearse(self):
        frame = tf.reshape(tf.sin(tf.range(16.0)), [4, 4])
        weights = [self.maps.joints, self.maps.width]
        for size in self.cameras:
            size = tf.constant(size) if self.as_tensor else size
            with tf.GradientTape() as tape:
                loss = self.maps.draw(frame, size)  #!
            grads = tape.gradient(loss, weights)
            self.optimizer.apply_gradients(zip(grads, weights))
        return {"joints": grads[0], "width": grads[1]}


def broken():
    return Studio([(8, 8), (8, 12), (12, 12), (16, 12)], False).rehearse()


def fixed():
    return Studio([(8, 8), (8, 12), (12, 12), (16, 12)], True).rehearse()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
