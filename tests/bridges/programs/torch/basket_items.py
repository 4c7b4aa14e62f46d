"""Sums a shopper's basket in a compiled function over a list of tensors."""
import sys

import torch


class Shop:
    def __init__(self):
        self.discount = torch.tensor(0.1, requires_grad=True)

    def prices(self, count):
        return [torch.tensor([1.0, 2.0, 3.0]) * (k + 1) for k in range(count)]


@torch.compile(backend="eager")
def total(basket, discount):
    paid = torch.zeros(3)
    for price in basket:
        paid = paid + price * (1.0 - discount)
    return paid.sum()


def checkout(sizes):
    shop = Shop()
    discount = shop.discount
    for size in sizes:
        total(shop.prices(size), discount).backward()  #!
    return {"discount": discount.grad}


def broken():
    return checkout([2, 3, 3, 2])


def fixed():
    return checkout([3, 3, 3, 3])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
