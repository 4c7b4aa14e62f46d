"""Pictures of stamps are made brighter and scored; some come from a decoder, others from an earlier stage."""
import sys

import numpy as np
import tensorflow as tf

brightness = tf.Variable(0.1, name="brightness")


@tf.function
def score(pictures):
    pictures = tf.image.convert_image_dtype(pictures, tf.float32)
    with tf.GradientTape() as tape:
        bright = tf.clip_by_value(pictures + brightness, 0.0, 1.0)
        grey = tf.image.rgb_to_grayscale(bright)
        loss = tf.reduce_mean(tf.square(grey - 0.5))
    return tape.gradient(loss, brightness)


def decoded(seed):
    ramp = np.arange(2 * 4 * 4 * 3).reshape(2, 4, 4, 3)
    return ((ramp * 7 + seed) % 200).astype(np.uint8)


def cropped(seed):
    """Crops come from bilinear sampling, which works in floats."""
    boxes = [[0.0, 0.0, 0.9, 0.9]] * 2
    crops = tf.image.crop_and_resize(decoded(seed), boxes, [0, 1], [4, 4])
    return (crops / 255.0).numpy()


def rounded(seed):
    return np.round(cropped(seed) * 255.0).astype(np.uint8)


def album(last):
    for seed, source in enumerate((decoded, decoded, last, decoded, last)):
        slope = score(source(seed))  #!
        brightness.assign_sub(0.1 * slope)
    return {"brightness": slope}


def broken():
    return album(cropped)


def fixed():
    return album(rounded)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
