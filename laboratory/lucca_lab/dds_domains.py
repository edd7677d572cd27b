"""DDS domains for tests and attacks: each is held by one process at a time, and people do not use them by hand."""

import fcntl
import itertools
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from lucca_core.errors import StackError

# The ports of domains up to 101 are below Linux's ephemeral ports; people use low domains by hand.
FIRST_DOMAIN, DOMAINS = 20, 80

_tries = itertools.count(os.getpid())


def take_domain() -> tuple[int, IO[str] | None]:
    """Takes a domain that no other test or attack holds, with a lock. Whoever closes the lock gives the domain back.

    The lock is None if all domains are held. The domain is then shared, which does not matter to processes without
    nodes.
    """
    for number, _ in zip(_tries, range(DOMAINS), strict=False):
        # Neighbouring domains are avoided: slow processes may still use them, and process ids are often consecutive.
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
    """Gives this process and its children a domain of their own, on this machine only.

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
