"""One function is used bare and then under a distribution strategy."""
import sys

import tensorflow as tf

level = tf.Variable(1.5, name="level")


@tf.function
def penalty(target):
    return tf.square(level - target)


def gradients(strategy_first):
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    target = tf.constant(1.0)
    total = tf.constant(0.0)
    for k in range(3):
        with tf.GradientTape() as tape:
            if k == 1 and strategy_first:
                with strategy.scope():  #~
                    loss = penalty(target)  #!
            else:
                loss = penalty(target)
        total += tape.gradient(loss, level)
    return {"level": total}


def broken():
    return gradients(True)


def fixed():
    return gradients(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
