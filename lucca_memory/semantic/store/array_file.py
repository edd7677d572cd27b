"""The array file: a saved copy of the network's arrays, so that a large network starts fast.

The database rows are authoritative. A stamp in the file identifies their state; a file of another state, or a damaged
or missing one, is ignored. It may be deleted at any time.
"""

import logging
from pathlib import Path

import numpy as np

from lucca_core.errors import MemoryFault
from lucca_memory.retrieval.columns import map_arrays, write_arrays
from lucca_memory.semantic.graph.network import COLUMNS, UNKNOWN_CELL, Cells, Network

LEAST_NODES = 20_000
"""Networks with fewer nodes have no array file: reading their rows takes less than a second."""

_log = logging.getLogger(__name__)


def keep_arrays(file: Path, network: Network, spec: str, stamp: int) -> None:
    """Saves the living part of a large network; for a small one, deletes the file.

    Args:
        file: the path; its folder is created if missing.
        network: equal to the rows.
        spec: of the embedder of its vectors.
        stamp: state of the rows.

    Raises:
        MemoryFault: it could not be written.
    """
    if len(network) < LEAST_NODES:
        forget_arrays(file)
        return
    try:
        file.parent.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise MemoryFault(f'{file.parent} could not be made: {error}') from error
    alive = network.column('alive')
    every = bool(alive.all())
    rows = np.cumsum(alive, dtype=np.int32) - 1
    a, b, kinds, weights = network.edges
    kept = slice(None) if every else np.flatnonzero(alive[a] & alive[b])
    living = slice(None) if every else np.flatnonzero(alive)
    arrays = {name: network.column(name)[living] for name in (*COLUMNS, 'vectors', 'scales')}
    arrays |= {'a': rows[a[kept]], 'b': rows[b[kept]], 'edge_kinds': kinds[kept], 'weights': weights[kept]}
    if network.cells is not None:
        known = alive[: len(network.cells.of_row)]
        arrays |= {'centres': network.cells.centres, 'cells': network.cells.of_row[known]}
    header = {'stamp': stamp, 'spec': spec, 'owners': network.owners, 'speakers': network.speakers}
    write_arrays(file, header, arrays)


def kept_network(file: Path, dimensions: int, spec: str, stamp: int) -> Network | None:
    """The network in a file; None if the file is missing, damaged, or of another state or embedder."""
    try:
        header, arrays = map_arrays(file)
        if header['stamp'] != stamp or header['spec'] != spec or arrays['vectors'].shape[1:] != (dimensions,):
            return None
        network = Network(dimensions)
        network.number_all(header['owners'], header['speakers'])
        network.extend(arrays)
        network.extend_edges(arrays)
        if 'centres' in arrays:
            network.cells = Cells(arrays['centres'].copy(), arrays['cells'].copy())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, IndexError) as error:
        _log.warning('the rows of the network are read, which takes longer: %s', error)
        return None
    return network


def kept_cells(file: Path, network: Network, spec: str) -> Cells | None:
    """The partition in a file of any state, for a network read from rows; None if there is none."""
    try:
        header, arrays = map_arrays(file)
        if header['spec'] != spec or arrays['centres'].shape[1:] != (network.dimensions,):
            return None
        centres, old_cells = arrays['centres'].copy(), arrays['cells']
        old_ids = arrays['ids'][: len(old_cells)]
    except (OSError, ValueError, KeyError):
        return None
    ids = network.column('ids')
    if not len(old_ids) or not len(ids):
        return None
    at = np.minimum(np.searchsorted(old_ids, ids), len(old_ids) - 1)
    cells = np.where(old_ids[at] == ids, old_cells[at], np.int16(UNKNOWN_CELL))
    # Rows newer than the partition are not assigned yet.
    return Cells(centres, cells[: int(np.searchsorted(ids, old_ids[-1], 'right'))])


def forget_stale_arrays(file: Path, stamp: int) -> None:
    """Deletes a file of another state of the rows, or of a state without a number (0).

    It may contain what was erased since, on this robot or another.

    Raises:
        MemoryFault: it could not be deleted.
    """
    try:
        stale = not stamp or map_arrays(file)[0]['stamp'] != stamp
    except FileNotFoundError:
        return
    except (OSError, ValueError, KeyError):
        stale = True
    if stale:
        forget_arrays(file)


def forget_arrays(file: Path) -> None:
    """Deletes the file, and temporary files left by a crash.

    Raises:
        MemoryFault: it could not be deleted.
    """
    try:
        for name in (file.name, f'{file.name}.new'):
            file.with_name(name).unlink(missing_ok=True)
    except OSError as error:
        raise MemoryFault(f'{file} could not be removed: {error}') from error
