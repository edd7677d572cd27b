"""The data folder opened for writing, while the worker of a running stack is paused."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from lucca_core.errors import FolderInUseError, MemoryFault, StackError
from lucca_core.paths import default_data_dir
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.signature import LogKey, key_of


@contextmanager
def writable_folder(data_dir: Path | None, log_key: LogKey | None = None) -> Iterator[DataFolder]:
    """The data folder, open for writing. A running worker is paused meanwhile, so intents wait and nothing moves."""
    path = data_dir or default_data_dir()
    key = log_key or key_of('')
    with ExitStack() as stack:
        try:
            folder = DataFolder.open(path, write=True, log_key=key)
        except FolderInUseError as error:
            # Imported here, as ROS is not needed without a stack.
            from lucca_cli.worker_requests import paused_worker

            try:
                stack.enter_context(paused_worker())
            except StackError as why:
                raise MemoryFault(f'{error}; and the worker could not be asked to release it: {why}') from why
            folder = DataFolder.open(path, write=True, log_key=key)
        yield stack.enter_context(folder)
