"""Level of a lake from inflow, day by day: every day starts at the level of the day before."""
import tensorflow as tf

DAYS = 20


class Lake:
    def __init__(self):
        self.outlet = tf.Variable(0.3, name="outlet")
        self.evaporation = tf.Variable(0.05, name="evaporation")

    def day(self, level, inflow, warmth):
        spilled = self.outlet * tf.nn.softplus(level - 1.0)
        return level + inflow - spilled - self.evaporation * warmth

    def levels(self, inflows, warmths):
        level, kept = tf.constant(1.0), []
        for inflow, warmth in zip(inflows, warmths):
            level = self.day(level, inflow, warmth)
            kept.append(level)
        return tf.stack(kept)


def calibrate(lake, years=2):
    optimizer = tf.keras.optimizers.Adam(0.02)
    sources = [lake.outlet, lake.evaporation]
    for year in range(years):
        days = tf.range(float(DAYS))
        inflows = tf.unstack(0.2 + 0.1 * tf.sin(days * 0.3 + year))
        warmths = tf.unstack(1.0 + 0.5 * tf.cos(days * 0.2))
        seen = 1.4 + 0.2 * tf.sin(days * 0.3)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(lake.levels(inflows, warmths) - seen))
        grads = tape.gradient(loss, sources)
        optimizer.apply_gradients(zip(grads, sources))
    return {"outlet": grads[0], "evaporation": grads[1]}


def broken():
    return calibrate(Lake())


if __name__ == "__main__":
    print(broken())
