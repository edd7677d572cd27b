"""Symbolic stacks on folders of their own."""

import pytest
from symbolic_lab import ACTIONS, Lab

from coordinator_node.config import CoordinatorConfig
from lucca_memory.data_folder import DataFolder
from lucca_memory.procedural import load_tasks


@pytest.fixture
def make_lab(tmp_path_factory):
    folders = []

    def make(tasks=None, *, correct=True, **config):
        folder = DataFolder.open(tmp_path_factory.mktemp('lab') / 'data', write=True)
        folders.append(folder)
        return Lab(folder, dict(tasks or load_tasks(actions=ACTIONS)), CoordinatorConfig(**config), correct)

    yield make
    for folder in folders:
        folder.close()
