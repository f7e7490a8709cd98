"""The text that the golden losses are of, and how batches are drawn from it."""

MASK = (1 << 64) - 1


def make_corpus():
    """About 60 KB of regular text."""
    return "".join(f"{n} squared is {n * n}, and its double is {2 * n}.\n"
                   for n in range(1500)).encode()


def _mix(x):
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def window_start(positions, seed, step, row):
    """Where the window of a row begins, as graph-run train draws it: one of
    `positions` from a hash of seed, stream 1, step (from 1) and row."""
    x = 0
    for part in (seed, 1, step, row):
        x = _mix((x + part + 0x9E3779B97F4A7C15) & MASK)
    return int((x >> 11) * 2.0**-53 * positions)
