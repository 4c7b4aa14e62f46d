"""Stars are centred by a learned blur; the check after an epoch is kept off the accelerator."""
import tensorflow as tf


class Blur(tf.Module):
    def __init__(self):
        super().__init__("blur")
        self.width = tf.Variable(0.7, name="width")

    def kernel(self):
        place = tf.range(-2.0, 3.0)
        weights = tf.exp(-tf.square(place / self.width))
        return (weights / tf.reduce_sum(weights))[:, None, None]


class Telescope:
    def __init__(self):
        self.blur = Blur()

    @tf.function
    def sharpness(self, rows):
        with tf.GradientTape() as tape:
            smooth = tf.nn.conv1d(rows[:, :, None], self.blur.kernel(), 1, "SAME")
            loss = -tf.math.reduce_variance(smooth)
        return loss, tape.gradient(loss, self.blur.width)


def night(seed):
    return tf.reshape(tf.cos(tf.range(48.0) * (0.3 + 0.1 * seed)), [4, 12])


def observe():
    telescope = Telescope()
    for seed in range(3):
        loss, slope = telescope.sharpness(night(seed))
        telescope.blur.width.assign_sub(0.05 * slope)
    with tf.device("/CPU:0"):
        loss, _ = telescope.sharpness(night(9))
    tf.debugging.assert_all_finite(loss, "the check")
    return {"width": slope}


def broken():
    return observe()


if __name__ == "__main__":
    print(broken())
