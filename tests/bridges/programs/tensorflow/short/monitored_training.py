"""A loop that prints its loss: the host reads it, but nothing comes back."""
import tensorflow as tf

inputs = tf.linspace(-1.0, 1.0, 16)
targets = 3.0 * inputs + 0.5


def broken():
    slope = tf.Variable(0.0, name="slope")
    offset = tf.Variable(0.0, name="offset")
    history = []
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(slope * inputs + offset - targets))
        d_slope, d_offset = tape.gradient(loss, [slope, offset])
        slope.assign_sub(0.3 * d_slope)
        offset.assign_sub(0.3 * d_offset)
        history.append(float(loss))
    assert history[-1] < history[0]
    return {"slope": d_slope, "offset": d_offset}


if __name__ == "__main__":
    print(broken())
