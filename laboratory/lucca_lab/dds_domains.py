"""DDS domains for tests and attacks: each is held by one process at a time, and none is one that people use by hand."""

import fcntl
import itertools
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from lucca_core.errors import StackError

# Domains up to 101 have their ports below Linux's ephemeral ones; the lower ones are what people use by hand.
FIRST_DOMAIN, DOMAINS = 20, 80

_tries = itertools.count(os.getpid())


def take_domain() -> tuple[int, IO[str] | None]:
    """A domain that no other test or attack here holds, and the lock: whoever closes it gives the domain back.

    The lock is None when all are held. Then the domain is shared, which processes that run no node do not mind.
    """
    for number, _ in zip(_tries, range(DOMAINS), strict=False):
        # Not the next one: what ends slowly is left alone, and neighbours have neighbouring process ids.
        domain = FIRST_DOMAIN + 13 * number % DOMAINS
        try:
            lock = (Path(tempfile.gettempdir()) / f'lucca-test-domain-{domain}.lock').open('w', encoding='utf-8')
        except PermissionError:  # another user's
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            continue
        return domain, lock
    return FIRST_DOMAIN + os.getpid() % DOMAINS, None


@contextmanager
def own_domain() -> Iterator[None]:
    """This process and those that it starts have a domain that no other stack is in, on this machine only.

    Raises:
        StackError: every domain is held.
    """
    domain, lock = take_domain()
    if lock is None:
        raise StackError(f'the DDS domains {FIRST_DOMAIN} to {FIRST_DOMAIN + DOMAINS - 1} are all held by tests')
    here = {'ROS_DOMAIN_ID': str(domain), 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}
    before = {name: os.environ.get(name) for name in here}
    os.environ.update(here)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
        lock.close()
