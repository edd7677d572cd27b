"""DDS domains for tests: each is held by one process at a time, so that tests may run side by side."""

import fcntl
import itertools
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

# Domains up to 101 have their ports below Linux's ephemeral ones; the lower ones are what people use by hand.
FIRST_DOMAIN, DOMAINS = 20, 80

_tries = itertools.count(os.getpid())


def take_domain() -> tuple[int, IO[str] | None]:
    """A domain that no other test process of this machine holds, and the lock: whoever closes it gives the domain back.

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
    """A domain that no other stack is in: a module's stack may be up beside a test's own."""
    before, (domain, lock) = os.environ['ROS_DOMAIN_ID'], take_domain()
    assert lock is not None, 'every domain is held by some test'
    os.environ['ROS_DOMAIN_ID'] = str(domain)
    try:
        yield
    finally:
        os.environ['ROS_DOMAIN_ID'] = before
        lock.close()
