"""Attack on the one-stack rule: a second stack, or a second node of a kind, is started next to the first."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lucca_core.claim import domain_id
from lucca_lab.attack.attack import Attack, Broken, Counts, SeededRandom, Trial
from lucca_lab.attack.running.processes import (
    STACK_KINDS,
    Running,
    check_nothing_left,
    cleaned,
    new_namespace,
    start_node,
    start_stack,
    who_holds,
)

REFUSED_S = 60.0
READY_S = 90.0
LATEST_S = 20.0
"""The latest start of the second stack after the first one, which is ready by then."""


Way = Callable[[Path, random.Random, str, str, list[Running]], Counts]


def way_to_start(chance: SeededRandom) -> Way:
    """How the second one is started. Each odd seed starts two stacks at once, which is the hardest case."""
    return _together if chance.trial_seed % 2 else chance.choice((_later, _a_node, _another_namespace))


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    def trial(chance: SeededRandom) -> Counts:
        namespace, other = new_namespace(), new_namespace()
        with cleaned(namespaces=(namespace, other)) as started:
            how = way_to_start(chance)
            counts = how(folder, chance, namespace, other, started)
            for running in started:
                running.end()
            check_nothing_left(namespace)
            check_nothing_left(other)
        return {how.__name__.strip('_'): 1, **counts}

    yield trial


def _together(folder: Path, chance: random.Random, namespace: str, other: str, started: list[Running]) -> Counts:
    started += [start_stack(folder, namespace) for _ in range(2)]
    return _one_lives(started, namespace)


def _later(folder: Path, chance: random.Random, namespace: str, other: str, started: list[Running]) -> Counts:
    started.append(start_stack(folder, namespace))
    time.sleep(chance.uniform(0.0, LATEST_S))
    started.append(start_stack(folder, namespace))
    return _one_lives(started, namespace)


def _a_node(folder: Path, chance: random.Random, namespace: str, other: str, started: list[Running]) -> Counts:
    kind = chance.choice(STACK_KINDS)
    first, second = start_node(folder, kind, namespace), start_node(folder, kind, namespace)
    started += [first, second]
    first.until(lambda: second.process.poll() is not None, REFUSED_S, f'neither {kind} gave way to the other')
    winner, loser = (second, first) if first.process.poll() is not None else (first, second)
    _check_refusal(loser, winner, namespace)
    winner.until(lambda: bool(who_holds(kind, namespace)), READY_S, f'the {kind} that stayed is not active')
    return {'refused': 1}


def _another_namespace(
    folder: Path, chance: random.Random, namespace: str, other: str, started: list[Running]
) -> Counts:
    started += [start_stack(folder, name) for name in (namespace, other)]
    for running in started:
        running.until_ready(READY_S, 'a stack is not ready')
        if running.process.poll() is not None:
            raise Broken(f'of two in two namespaces one ended: {running.output[-600:]}')
    return {'both live': 1}


def _one_lives(started: list[Running], namespace: str) -> Counts:
    first, second = started
    first.until(lambda: second.process.poll() is not None, REFUSED_S, 'neither gave way to the other')
    winner, loser = (second, first) if first.process.poll() is not None else (first, second)
    _check_refusal(loser, winner, namespace)
    winner.until_ready(READY_S, 'the stack that stayed is not ready')
    if winner.process.poll() is not None:
        raise Broken(f'both ended: {winner.output[-600:]}')
    return {'refused': 1}


def _check_refusal(loser: Running, winner: Running, namespace: str) -> None:
    code, said = loser.process.returncode, loser.output
    names = f'domain {domain_id()}, namespace {namespace}: process {winner.pid} '
    if code == 0 or names not in said:
        raise Broken(f'the second one ended with {code} and does not name {names!r}: {said[-600:]}')


PART = Attack(
    name='second-stack',
    promise='Of two equal stacks or nodes in a namespace, one lives and the other says why not; in two, both live.',
    open=_open,
    sample=1,
    count=100,
)
