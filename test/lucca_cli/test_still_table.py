"""A table is still once no visible object has moved for a while."""

from lucca_cli import still_table
from lucca_cli.still_table import StillTable, wait_until_still
from lucca_core.protocol.snapshots import Pose, Snapshot, TableObject


def snapshot(stamp_s, x_m, *, visible=True):
    pear = TableObject(object_id='pear-1', name='pear', label='pear', pose_world=Pose((x_m, 0.0, 0.8)), visible=visible)
    return Snapshot(stamp_s=stamp_s, objects=(pear,))


def test_an_object_that_moves_begins_the_wait_again():
    table = StillTable(still_s=1.0, moved_m=0.004)
    assert not table.add(snapshot(10.0, 0.3))
    assert not table.add(snapshot(10.9, 0.31))
    assert not table.add(snapshot(11.8, 0.312))
    assert table.add(snapshot(11.95, 0.311))


def test_creeping_is_no_rest():
    table = StillTable(still_s=1.0, moved_m=0.004)
    assert not any(table.add(snapshot(0.1 * tick, 0.3 + 0.0006 * tick)) for tick in range(100))


def test_a_hidden_object_is_not_waited_for():
    table = StillTable(still_s=1.0)
    table.add(snapshot(0.0, 0.3))
    table.add(snapshot(0.9, 0.5, visible=False))
    assert table.add(snapshot(1.0, 0.7, visible=False))


class Client:
    def __init__(self, snapshots):
        self.snapshots = snapshots
        self.watching = False

    def watch_table(self, on_snapshot):
        self.watching = True
        for item in self.snapshots:
            on_snapshot(item)

        def stop():
            self.watching = False

        return stop


def test_waiting_ends_when_the_table_is_still():
    client = Client([snapshot(0.1 * tick, 0.3) for tick in range(30)])
    assert wait_until_still(client)
    assert not client.watching


def test_waiting_ends_at_its_limit_and_in_silence(monkeypatch):
    monkeypatch.setattr(still_table, '_SILENT_S', 0.01)
    rolling = Client([snapshot(0.1 * tick, 0.01 * tick) for tick in range(500)])
    assert not wait_until_still(rolling)
    silent = Client([])
    assert not wait_until_still(silent)
    assert not rolling.watching
    assert not silent.watching
