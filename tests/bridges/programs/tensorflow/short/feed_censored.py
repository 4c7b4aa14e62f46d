"""Feed eaten by calves, censored where the trough was empty: two likelihoods, and a mask picks one for each calf."""
import tensorflow as tf


def normal_tail(z):
    return 0.5 * tf.math.erfc(z / tf.sqrt(2.0))


def broken():
    appetite = tf.Variable(2.0, name="appetite")
    log_spread = tf.Variable(0.0, name="log_spread")
    eaten = tf.constant([1.2, 2.4, 3.0, 0.8, 3.0, 2.9])
    empty = tf.constant([False, False, True, False, True, False])
    for _ in range(5):
        with tf.GradientTape() as tape:
            z = (eaten - appetite) / tf.exp(log_spread)
            seen = -0.5 * tf.square(z) - log_spread
            cut = tf.math.log(tf.maximum(normal_tail(z), 1e-12))
            loss = -tf.reduce_mean(tf.where(empty, cut, seen))
        d_appetite, d_log_spread = tape.gradient(loss, [appetite, log_spread])
        appetite.assign_sub(0.1 * d_appetite)
        log_spread.assign_sub(0.1 * d_log_spread)
    return {"appetite": d_appetite, "log_spread": d_log_spread}


if __name__ == "__main__":
    print(broken())
