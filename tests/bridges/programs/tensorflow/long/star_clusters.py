"""Draws star clusters in a plane: distances between all pairs, of which the diagonal is taken out."""
import tensorflow as tf


class Projection(tf.Module):
    def __init__(self, inputs=5):
        super().__init__(name="projection")
        wave = tf.sin(tf.range(6.0 * inputs) * 0.8)
        self.hidden = tf.Variable(0.5 * tf.reshape(wave, [inputs, 6]), name="hidden")
        self.plane = tf.Variable(0.5 * tf.reshape(tf.cos(tf.range(12.0)), [6, 2]), name="plane")

    def __call__(self, stars):
        return tf.nn.elu(stars @ self.hidden) @ self.plane


def distances(points):
    """Of all pairs; a point is at distance 0 from itself."""
    apart = points[:, tf.newaxis] - points
    return tf.sqrt(tf.reduce_sum(tf.square(apart), axis=-1))


class Stress:
    """How far distances in the plane are from those in the sky, each pair once."""

    def __init__(self, stars):
        self.wanted = distances(stars)
        count = stars.shape[0]
        self.pairs = tf.linalg.band_part(tf.ones([count, count]), 0, -1) - tf.eye(count)

    def __call__(self, points):
        error = tf.square(distances(points) - self.wanted)
        return tf.reduce_sum(self.pairs * error) / tf.reduce_sum(self.pairs)


class Repulsion:
    def __init__(self, smallest=0.1):
        self.smallest = smallest

    def __call__(self, points, pairs):
        near = tf.nn.relu(self.smallest - distances(points))
        return tf.reduce_sum(pairs * tf.square(near))


def sky(count=10):
    return tf.reshape(tf.cos(tf.range(count * 5.0) * 0.37), [count, 5])


@tf.function
def slopes(projection, stress, repulsion, stars):
    with tf.GradientTape() as tape:
        points = projection(stars)
        loss = stress(points) + 0.1 * repulsion(points, stress.pairs)
    return loss, tape.gradient(loss, {"hidden": projection.hidden, "plane": projection.plane})


def broken():
    projection, stars = Projection(), sky()
    stress, repulsion = Stress(stars), Repulsion()
    for _ in range(4):
        loss, grads = slopes(projection, stress, repulsion, stars)
        projection.hidden.assign_sub(0.05 * grads["hidden"])
        projection.plane.assign_sub(0.05 * grads["plane"])
    return grads


if __name__ == "__main__":
    print(broken())
