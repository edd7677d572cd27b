"""The client of a stack, where no stack runs."""

import time

import pytest

from lucca_cli.client import StackClient


@pytest.mark.ros
def test_it_waits_in_a_process_that_has_initialised_no_other_context():
    with StackClient() as client:
        began_s = time.monotonic()
        client.wait(0.05)
        assert time.monotonic() - began_s >= 0.05
