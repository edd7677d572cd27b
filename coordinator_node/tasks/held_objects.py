"""Snapshots with held objects shown on the table, so that after a crash they still count as not yet done."""

from dataclasses import replace

from lucca_core.protocol.snapshots import HAND, TABLE, Snapshot


def held_on_table(snapshot: Snapshot) -> Snapshot:
    """The snapshot as the model and the worker read it, with objects in a hand shown on the table.

    After a crash a hand may still hold an object. Shown on the table, it remains to be done; the action node puts it
    down before acting on it.
    """
    if all(item.container != HAND for item in snapshot) and snapshot.container_named(HAND) is None:
        return snapshot
    objects = tuple(replace(item, container=TABLE) if item.container == HAND else item for item in snapshot)
    containers = tuple(item for item in snapshot.containers if item.name != HAND)
    return replace(snapshot, objects=objects, containers=containers)
