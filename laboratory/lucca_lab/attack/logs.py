"""Attacks on the declarative logs: flipped bits, truncated, shuffled and lost files, and killed writers.

A written log is damaged as accidents would damage it, and then read again. Reading must return what was written or
refuse. If the last entries are lost and this cannot be proven, the reader must say so. No entry may be missing or
changed silently.
"""

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lucca_lab.attack.attack import Attack, Broken, Counts, Trial
from lucca_lab.attack.written_logs import SLOTS, TASK, LogBench, Written, quiet
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.log import TaskLog


@contextmanager
def _open_bits(folder: Path) -> Iterator[Trial]:
    bench = LogBench(folder)

    def trial(chance: random.Random) -> Counts:
        written = chance.choice(bench.logs)
        log, head = bytearray(written.log), bytearray(written.head)
        where = chance.choice(('log', 'log', 'last entry', 'head', 'both'))
        bits = chance.choice((1, 1, 2, 3, 8, 64))
        if where != 'head':
            _flip(log, chance, bits, written.ends[-2] if where == 'last entry' else 0, len(log))
        if where in ('head', 'both'):
            for begin, end in chance.choice((SLOTS[:1], SLOTS[1:], SLOTS)):
                _flip(head, chance, bits, begin, end)
        found = bench.read(bytes(log), bytes(head), write=chance.random() < 0.01)
        if found is None:
            if where == 'head':
                raise Broken(f'{bits} flipped bits of a head alone are blamed on the log')
            return {f'{where}: refused': 1}
        if found[0] != written.entries:
            raise Broken(
                f'{bits} flipped bits in {where}: {len(found[0])} of {len(written.entries)} entries, or changed'
            )
        return {f'{where}: read as written': 1}

    with quiet():
        yield trial


def _flip(data: bytearray, chance: random.Random, bits: int, begin: int, end: int) -> None:
    """Flips bits anywhere in a range, or next to each other."""
    first = 8 * begin + chance.randrange(8 * (end - begin))
    together = chance.random() < 0.5
    for number in range(bits):
        bit = min(first + number, 8 * end - 1) if together else 8 * begin + chance.randrange(8 * (end - begin))
        data[bit // 8] ^= 1 << bit % 8


@contextmanager
def _open_cuts(folder: Path) -> Iterator[Trial]:
    bench = LogBench(folder)

    def trial(chance: random.Random) -> Counts:
        written = chance.choice(bench.logs)
        kind = chance.choice(tuple(_ACCIDENTS))
        log, head = _ACCIDENTS[kind](written, bench, chance)
        found = bench.read(log, head, write=chance.random() < 0.01)
        if found is None:
            return {f'{kind}: refused': 1}
        entries, odd = found
        if entries == written.entries:
            return {f'{kind}: read as written': 1}
        if odd and entries == written.entries[: len(entries)] and head != written.head:
            return {f'{kind}: shorter, and told': 1}
        raise Broken(f'{kind}: {len(entries)} of {len(written.entries)} entries, told: {odd!r}')

    with quiet():
        yield trial


Files = tuple[bytes | None, bytes | None]


def _blocks(written: Written) -> list[bytes]:
    return [written.log[begin:end] for begin, end in zip((0, *written.ends), written.ends, strict=False)]


def _cut(written: Written, bench: LogBench, chance: random.Random) -> Files:
    return written.log[: chance.randrange(len(written.log))], written.head


def _cut_at_an_entry(written: Written, bench: LogBench, chance: random.Random) -> Files:
    return written.log[: chance.choice((0, *written.ends[:-1]))], written.head


def _zeroed(written: Written, bench: LogBench, chance: random.Random) -> Files:
    at = chance.randrange(len(written.log))
    return written.log[:at] + bytes(len(written.log) - at), written.head


def _cut_head(written: Written, bench: LogBench, chance: random.Random) -> Files:
    return written.log, written.head[: chance.choice((0, chance.randrange(256), 4096, 4096 + chance.randrange(256)))]


def _cut_both(written: Written, bench: LogBench, chance: random.Random) -> Files:
    return _cut(written, bench, chance)[0], _cut_head(written, bench, chance)[1]


def _shuffled(written: Written, bench: LogBench, chance: random.Random) -> Files:
    blocks = _blocks(written)
    one, other = chance.randrange(len(blocks)), chance.randrange(len(blocks))
    kind = chance.choice(('swap', 'double', 'remove'))
    if kind == 'swap':
        blocks[one], blocks[other] = blocks[other], blocks[one]
    elif kind == 'double':
        blocks.insert(other, blocks[one])
    else:
        del blocks[one]
    return b''.join(blocks), written.head


def _of_another_task(written: Written, bench: LogBench, chance: random.Random) -> Files:
    foreign = chance.choice(bench.foreign)
    return chance.choice(((foreign.log, written.head), (written.log, foreign.head), (foreign.log, foreign.head)))


def _of_another_robot(written: Written, bench: LogBench, chance: random.Random) -> Files:
    other = chance.choice([item for item in bench.logs if item.log != written.log[: len(item.log)]])
    return chance.choice(((other.log, written.head), (written.log, other.head)))


def _lost(written: Written, bench: LogBench, chance: random.Random) -> Files:
    return chance.choice(((None, written.head), (written.log, None), (b'', written.head), (b'', None), (None, b'')))


def _garbage_behind(written: Written, bench: LogBench, chance: random.Random) -> Files:
    garbage = chance.choice(
        (chance.randbytes(chance.randrange(1, 80)), bytes(40), b'\nEntry 9\n', _blocks(written)[-1])
    )
    return written.log + garbage, written.head


def _newer_version(written: Written, bench: LogBench, chance: random.Random) -> Files:
    return written.log.replace(b'format 1', b'format %d' % chance.randrange(2, 99)), written.head


_ACCIDENTS: dict[str, Callable[[Written, LogBench, random.Random], Files]] = {
    'cut': _cut,
    'cut at an entry': _cut_at_an_entry,
    'zeroed': _zeroed,
    'head cut': _cut_head,
    'both cut': _cut_both,
    'entries shuffled': _shuffled,
    'files of another task': _of_another_task,
    'file of another robot': _of_another_robot,
    'lost': _lost,
    'garbage behind': _garbage_behind,
    'newer version': _newer_version,
}


_WRITER = """
import sys
from pathlib import Path
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.log import TaskLog
from lucca_memory.declarative.entry import Entry, EntryKind
log = TaskLog(DataFolder.open(Path(sys.argv[1]), write=True), 'sorting')
while True:
    entry = log.append(Entry(kind=EntryKind.RESUMED, note='x' * int(sys.argv[2])))
    print(entry.entry_id, flush=True)
"""


@contextmanager
def _open_kills(folder: Path) -> Iterator[Trial]:
    acknowledged = 0

    def trial(chance: random.Random) -> Counts:
        nonlocal acknowledged
        before = acknowledged
        command = [sys.executable, '-c', _WRITER, str(folder / 'data'), str(chance.choice((0, 300, 5000)))]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            for _ in range(chance.randrange(1, 12)):
                acknowledged = int(writer.stdout.readline())
            for _ in range(chance.randrange(60_000)):
                pass
            writer.kill()
            acknowledged = max([acknowledged, *(int(line) for line in writer.stdout if line.endswith(b'\n'))])
        with DataFolder.open(folder / 'data', write=True) as opened:
            log = TaskLog(opened, TASK)
        if log.odd or not acknowledged <= len(log.entries) <= acknowledged + 1:
            raise Broken(f'{acknowledged} entries were acknowledged, {len(log.entries)} are there: {log.odd}')
        torn = bool(log.torn)
        done = {
            'acknowledged': acknowledged - before,
            'torn': torn,
            'written, not told': len(log.entries) > acknowledged,
        }
        acknowledged = len(log.entries)
        return done

    yield trial


BITS = Attack(
    name='log-bits',
    promise='Of a log or a head with flipped bits every entry is read as it was written, or the log is refused.',
    open=_open_bits,
    sample=300,
    count=100_000,
)
CUTS = Attack(
    name='log-cuts',
    promise='A log that was cut, mixed up or lost is read as it was written, refused, or told to be shorter.',
    open=_open_cuts,
    sample=300,
    count=100_000,
)
KILLS = Attack(
    name='log-kills',
    promise='A writer that is killed leaves every entry that it told of, and no damage.',
    open=_open_kills,
    sample=6,
    count=100,
)
