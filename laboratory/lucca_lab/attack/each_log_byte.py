"""Attacks on declarative logs at every place: cut after each byte, and with each bit flipped, one after the other.

The logs are twelve, of one to twelve entries. Of their heads, only the part that holds data is changed. A campaign of
the default length tries each place once.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path

from lucca_lab.attack.attack import Attack, Broken, Counts, SeededRandom, Trial, turn_of
from lucca_lab.attack.written_logs import LONGEST, SLOTS, LogBench, Written, quiet


class _Places:
    """The places of several logs, numbered from 0 on. `of` gives the number of places in each log."""

    def __init__(self, logs: Sequence[Written], of: Callable[[Written], int]) -> None:
        self._logs = logs
        self._ends = list(accumulate(map(of, logs)))
        self.count = self._ends[-1]

    def at(self, number: int) -> tuple[Written, int]:
        """The log of a place, and the place's number in that log."""
        index = bisect_right(self._ends, number)
        return self._logs[index], number - (self._ends[index - 1] if index else 0)


def _bits(written: Written) -> int:
    return 8 * (len(written.log) + sum(end - begin for begin, end in SLOTS))


@contextmanager
def _open_cuts(folder: Path) -> Iterator[Trial]:
    bench = LogBench(folder)
    places, tried = _Places(bench.logs[:LONGEST], lambda written: len(written.log)), set[int]()

    def trial(chance: SeededRandom) -> Counts:
        number = turn_of(chance.trial_seed, places.count)
        written, size = places.at(number)
        visited = {'different places': int(number not in tried)}
        tried.add(number)
        found = bench.read(written.log[:size], written.head, write=False)
        if found is None:
            return {'refused': 1, **visited}
        entries, odd = found
        if not (odd and entries == written.entries[: len(entries)]):
            raise Broken(f'after {size} of {len(written.log)} bytes: {len(entries)} entries, told: {odd!r}')
        return {'shorter, and told': 1, **visited}

    with quiet():
        yield trial


@contextmanager
def _open_bits(folder: Path) -> Iterator[Trial]:
    bench = LogBench(folder)
    places, tried = _Places(bench.logs[:LONGEST], _bits), set[int]()

    def trial(chance: SeededRandom) -> Counts:
        number = turn_of(chance.trial_seed, places.count)
        written, bit = places.at(number)
        visited = {'different places': int(number not in tried)}
        tried.add(number)
        log, head, where = bytearray(written.log), bytearray(written.head), 'log'
        if bit < 8 * len(log):
            log[bit // 8] ^= 1 << bit % 8
        else:
            where = 'head'
            half, place = divmod(bit - 8 * len(log), 8 * (SLOTS[0][1] - SLOTS[0][0]))
            head[SLOTS[half][0] + place // 8] ^= 1 << place % 8
        found = bench.read(bytes(log), bytes(head), write=False)
        if found is None:
            if where == 'head':
                raise Broken(f'bit {bit}, of the head alone, is blamed on the log')
            return {f'{where}: refused': 1, **visited}
        if found[0] != written.entries:
            raise Broken(f'bit {bit}, in the {where}: {len(found[0])} of {len(written.entries)} entries, or changed')
        return {f'{where}: read as written': 1, **visited}

    with quiet():
        yield trial


CUTS = Attack(
    name='log-each-cut',
    promise='A log that was cut after any of its bytes is refused, or told to be shorter.',
    open=_open_cuts,
    sample=200,
    count=21_292,
)
BITS = Attack(
    name='log-each-bit',
    promise='Of a log or a head with any one bit flipped every entry is read as it was written, or the log is refused.',
    open=_open_bits,
    sample=200,
    count=219_488,
)
