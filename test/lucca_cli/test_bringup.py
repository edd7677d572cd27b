"""What starts the nodes and keeps them alive says so where it cannot."""

import threading

from lucca_cli.bringup import NodeSetup, Supervisor
from lucca_core.errors import StackError


def test_a_stack_whose_supervisor_breaks_off_is_not_waited_for(tmp_path):
    supervisor = Supervisor([NodeSetup(name='worker', parameters={'odd': object()})], tmp_path)
    said = []

    def start():
        try:
            supervisor.start()
        except StackError as error:
            said.append(str(error))

    starting = threading.Thread(target=start, daemon=True)
    starting.start()
    starting.join(20.0)
    assert 'RepresenterError' in ''.join(said)
    assert supervisor.stop() == {}
