"""A greenhouse's controller as it is exported: signatures with free dimensions, ragged days, and a loss that logs rarely."""
import tensorflow as tf


class Controller(tf.Module):
    def __init__(self):
        super().__init__("controller")
        self.gain = tf.Variable([[0.4], [-0.3], [0.2]], name="gain")
        self.offset = tf.Variable([0.1], name="offset")
        self.seen = tf.Variable(0, trainable=False, name="seen")

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def vents(self, sensors):
        return tf.sigmoid(sensors @ self.gain + self.offset)

    @tf.function(
        input_signature=[tf.RaggedTensorSpec([None, None, 3], tf.float32, ragged_rank=1), tf.TensorSpec([], tf.float32)]
    )
    def learn(self, days, rate):
        with tf.GradientTape() as tape:
            opened = self.vents(days.values)
            wanted = tf.clip_by_value(days.values[:, :1], 0.05, 0.95)
            loss = tf.reduce_mean(tf.square(opened - wanted))
        gain, offset = tape.gradient(loss, [self.gain, self.offset])
        self.gain.assign_sub(rate * gain)
        self.offset.assign_sub(rate * offset)
        self.seen.assign_add(1)
        return loss, gain, offset


def days(lengths, phase):
    total = sum(lengths)
    values = 0.5 + 0.5 * tf.reshape(tf.sin(tf.range(3.0 * total) + phase), [total, 3])
    return tf.RaggedTensor.from_row_lengths(values, lengths)


def export():
    controller = Controller()
    for week, lengths in enumerate(([3, 2], [1, 4, 2], [5], [2, 2, 2])):
        loss, gain, offset = controller.learn(days(lengths, float(week)), tf.constant(0.1))
        if week == 3:
            print(f"week {week}: {float(loss):.3f} after {int(controller.seen)} steps")
    controller.vents(tf.zeros([7, 3]))
    return {"gain": gain, "offset": offset}


def broken():
    return export()


if __name__ == "__main__":
    print(broken())
