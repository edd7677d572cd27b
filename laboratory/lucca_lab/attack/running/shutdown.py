"""Attack on shutdown: a node is told to end at a random moment."""

import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lucca_core.nodes import MODULES
from lucca_lab.attack.attack import Attack, Broken, Counts, Trial
from lucca_lab.attack.running.processes import cleaned, new_namespace, start_node, who_holds

STARTED_S = 60.0
KINDS = (*MODULES, *['worker'] * (len(MODULES) - 1))
"""Every kind of node, and the worker, which has most to close, as often as all others together."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)
_BEFORE_OUR_CODE = 'Fatal Python error: init_import_site'
"""The message of CPython for a SIGINT while it still imports `site`, before any line of a node has run."""


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    def trial(chance: random.Random) -> Counts:
        kind, number, namespace = chance.choice(KINDS), chance.choice(SIGNALS), new_namespace()
        with cleaned(namespaces=(namespace,)) as started:
            node = start_node(folder, kind, namespace)
            started.append(node)
            if chance.random() < 0.25:
                moment = 'while it starts'
                time.sleep(chance.uniform(0.0, 3.0))
            else:
                moment = 'while it works'
                node.until(lambda: bool(who_holds(kind, namespace)), STARTED_S, f'{kind} does not become active')
                time.sleep(chance.uniform(0.0, 1.5))
            claimed = bool(who_holds(kind, namespace))
            code = node.end(number)
        # Before the node has handlers, a signal ends its process in the system's way.
        allowed = {0} if claimed else {0, -number, 1, 130}
        fatal = 'Fatal Python error' in node.output and not (not claimed and _BEFORE_OUR_CODE in node.output)
        if code not in allowed or fatal:
            raise Broken(f'{kind} ended by {number.name} {moment} with {code}: {node.output[-1500:]}')
        return {f'{moment}: code {code}': 1, kind: 1}

    yield trial


PART = Attack(
    name='shutdown',
    promise='A node that is told to end ends with 0, whatever it does at that moment.',
    open=_open,
    sample=2,
    count=500,
)
