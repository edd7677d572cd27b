"""Messages on `diagnostics`: a part is found in them by its name."""

import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray

from lucca_ros.diagnostics import diagnostic_msg, part_in

pytestmark = pytest.mark.ros


def test_a_part_is_found_in_the_messages_about_it_and_in_no_other() -> None:
    msg = diagnostic_msg('action', 'ready', {}, stamp=Time())
    assert part_in(msg, 'action') == 'ready'
    assert part_in(msg, 'worker') is None
    assert part_in(DiagnosticArray(), 'action') is None
