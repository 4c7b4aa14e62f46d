"""Wear of cobbles under carts: the sensitivity of each road to the axle loads, road by road."""
import dataclasses
import sys

import tensorflow as tf


@dataclasses.dataclass
class Road:
    name: str
    carts: tf.Tensor


def roads(count=20):
    return [Road(f"road {index}", 1.0 + tf.abs(tf.sin(tf.range(4.0) + index))) for index in range(count)]


class Wear(tf.Module):
    def __init__(self):
        super().__init__(name="wear")
        self.load = tf.Variable([0.4, 0.2, 0.7, 0.1], name="load")
        self.power = tf.Variable(2.0, name="power")

    def of(self, road):
        return tf.reduce_sum(tf.pow(self.load, self.power) * road.carts)


def table_by_rows(wear, all_roads):
    with tf.GradientTape(persistent=True) as tape:
        wears = [wear.of(road) for road in all_roads]
    return tf.stack([tape.gradient(one, wear.load) for one in wears])  #!


def table_at_once(wear, all_roads):
    with tf.GradientTape() as tape:
        wears = tf.stack([wear.of(road) for road in all_roads])
    return tape.jacobian(wears, wear.load)


def survey(table):
    wear, all_roads = Wear(), roads()
    sensitive = table(wear, all_roads)
    ranking = tf.argsort(tf.reduce_sum(sensitive, axis=1), direction="DESCENDING")
    worst = all_roads[int(ranking[0])]
    with tf.GradientTape() as tape:
        loss = tf.square(wear.of(worst) - 1.0)
    load, power = tape.gradient(loss, [wear.load, wear.power])
    return {"load": load, "power": power}


def broken():
    return survey(table_by_rows)


def fixed():
    return survey(table_at_once)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
