"""Attack on the processes of a stack: a node, or the process that started all, is killed at a random moment."""

import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lucca_lab.attack.attack import Attack, Broken, Counts, Trial
from lucca_lab.attack.running.processes import (
    STACK_KINDS,
    Running,
    check_nothing_left,
    cleaned,
    new_namespace,
    pid_of,
    start_stack,
    who_holds,
)

READY_S = 90.0
START_S = 12.0
"""Roughly the time that a stack needs to start. Kills come within this time or right afterwards."""
PARENT = 'who started it'


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    def trial(chance: random.Random) -> Counts:
        namespace = new_namespace()
        with cleaned(namespaces=(namespace,)) as started:
            stack = start_stack(folder, namespace)
            started.append(stack)
            victim = chance.choice((PARENT, *STACK_KINDS))
            moment_s = chance.uniform(0.0, START_S)
            if victim == PARENT:
                number = chance.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP))
                if signal.getsignal(number) is signal.SIG_IGN:  # as under nohup, and by the stack as well
                    number = signal.SIGTERM
                time.sleep(moment_s)
                code = stack.end(number)
                if code == 0:
                    raise Broken(f'{number.name} after {moment_s:.1f} s ended a stack with 0')
            else:
                _kill_node(stack, victim, namespace, chance)
                stack.end()
            check_nothing_left(namespace)
        return {victim: 1}

    yield trial


def _kill_node(stack: Running, kind: str, namespace: str, chance: random.Random) -> None:
    stack.until(lambda: bool(who_holds(kind, namespace)), READY_S, f'{kind} is not there')
    time.sleep(chance.uniform(0.0, START_S / 2))
    dead = pid_of(kind, namespace)
    os.kill(dead, signal.SIGKILL)
    stack.until(lambda: pid_of(kind, namespace) not in (0, dead), READY_S, f'{kind} does not come back')
    stack.until_ready(READY_S, f'the stack is not ready after {kind} was killed')
    if stack.process.poll() is not None:
        raise Broken(f'the stack ended as {kind} was killed: {stack.output[-600:]}')


PART = Attack(
    name='kills',
    promise='A node of a stack that is killed comes back, and no node outlives whoever started it.',
    open=_open,
    sample=0,  # test/integration/test_kills.py and test_robustness.py promise the same of the nodes that they kill
    count=100,
)
