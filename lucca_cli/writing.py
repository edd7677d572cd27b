"""Writing to the data folder beside a stack that is up."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from lucca_core.errors import FolderInUseError, MemoryFault, StackError
from lucca_core.paths import default_data_dir
from lucca_memory.data_folder import DataFolder


@contextmanager
def writable_folder(data_dir: Path | None) -> Iterator[DataFolder]:
    """The folder to write to. Where the stack is up, its worker lets go of it for so long: intents wait, nothing moves."""
    path = data_dir or default_data_dir()
    with ExitStack() as stack:
        try:
            folder = DataFolder.open(path, write=True)
        except FolderInUseError as error:
            # Only now: without a stack, nothing of ROS is needed.
            from lucca_cli.client import paused_worker

            try:
                stack.enter_context(paused_worker())
            except StackError as why:
                raise MemoryFault(f'{error}; and the worker could not be asked to let go of it: {why}') from why
            folder = DataFolder.open(path, write=True)
        yield stack.enter_context(folder)
