"""Modes of a spring by forward-mode derivatives within a tape: velocity by an accumulator, energy by its gradient."""
import tensorflow as tf


class Spring(tf.Module):
    def __init__(self):
        super().__init__(name="spring")
        self.stiff = tf.Variable(1.4, name="stiff")
        self.damp = tf.Variable(0.3, name="damp")

    def position(self, times):
        return tf.exp(-self.damp * times) * tf.cos(tf.sqrt(self.stiff) * times)


def velocity(spring, times):
    """Derivative by time without a second tape."""
    with tf.autodiff.ForwardAccumulator(primals=times, tangents=tf.ones_like(times)) as forward:
        position = spring.position(times)
    return position, forward.jvp(position)


def curvature(spring, time):
    with tf.GradientTape() as tape:
        tape.watch(time)
        with tf.autodiff.ForwardAccumulator(time, tf.ones_like(time)) as forward:
            position = spring.position(time)
        speed = forward.jvp(position)
    return tape.gradient(speed, time)


def fit(rounds=4):
    spring, optimizer = Spring(), tf.keras.optimizers.Adam(0.02)
    times = tf.linspace(0.1, 3.0, 9)
    measured = -tf.sin(times)
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            position, speed = velocity(spring, times)
            energy = 0.5 * tf.square(speed) + 0.5 * spring.stiff * tf.square(position)
            loss = tf.reduce_mean(tf.square(speed - measured)) + 0.01 * tf.reduce_mean(energy)
        stiff, damp = tape.gradient(loss, [spring.stiff, spring.damp])
        optimizer.apply_gradients([(stiff, spring.stiff), (damp, spring.damp)])
    bend = curvature(spring, times)
    print(f"loss {float(loss):.4f}, largest bend {float(tf.reduce_max(bend)):.3f}")
    return {"stiff": stiff, "damp": damp}


def broken():
    return fit()


if __name__ == "__main__":
    print(broken())
