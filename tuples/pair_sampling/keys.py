"""What drawn pairs are called in their table."""

from collections.abc import Sequence

# Between the ids of two texts.
BETWEEN = "+"


def pair_keys(
    pairs: Sequence[tuple[int, int]],
    target_ids: Sequence[str] | None,
    candidate_ids: Sequence[str] | None,
) -> list[str]:
    """A key for each pair, none twice: "p1" and so on, or made of the ids of its texts.

    Where one side has no ids the number of the pair stands in their place. What would be there
    twice, as of "a" with "b+c" and "a+b" with "c", gets a number.

    Parameters
    ----------
    pairs : sequence of (int, int)
        Numbers of a target and a candidate.
    """
    keys: dict[str, None] = {}
    for number, (target, candidate) in enumerate(pairs, start=1):
        parts = []
        if target_ids is not None:
            parts.append(target_ids[target])
        if candidate_ids is not None:
            parts.append(candidate_ids[candidate])
        if len(parts) < 2:
            parts.append(f"p{number}")
        key = whole = BETWEEN.join(parts)
        n = 1
        while key in keys:
            n += 1
            key = f"{whole}{BETWEEN}{n}"
        keys[key] = None
    return list(keys)
