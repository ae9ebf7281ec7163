"""Places along a line, as near to where they are wanted as their distances allow."""

from collections.abc import Sequence


def spread_out(wanted: Sequence[float], apart: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return places in this order and at least so far apart, nearest to what is wanted by least squares.

    Where things would come too close, they are moved as one block to the mean of what they want
    (isotonic regression by pooling).

    Args:
        wanted: Where each would be by itself.
        apart: The least distance between each two neighbours: one fewer than things.
        weights: How much each insists.
    """
    offsets = [0.0]
    for distance in apart:
        offsets.append(offsets[-1] + distance)
    blocks: list[tuple[float, float, int]] = []
    for want, offset, weight in zip(wanted, offsets, weights, strict=False):
        total, weighs, count = (want - offset) * weight, weight, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / weighs:
            before = blocks.pop()
            total, weighs, count = total + before[0], weighs + before[1], count + before[2]
        blocks.append((total, weighs, count))
    places = [total / weighs for total, weighs, count in blocks for _ in range(count)]
    return [place + offset for place, offset in zip(places, offsets, strict=False)]
