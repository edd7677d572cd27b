"""The services of the worker over real DDS: what is acknowledged is on disk, and recording waits for nobody."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

pytest.importorskip('rclpy')

from diagnostic_msgs.msg import DiagnosticArray
from lucca_interfaces.msg import TableState
from lucca_interfaces.srv import ForgetTask, ListTasks, RetrieveMemory, ReviewCall, TeachTask
from rclpy.lifecycle import TransitionCallbackReturn
from worker_graph import SUCCESS, Graph, process

from lucca_core.errors import MemoryFault, ModelUnusable
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.log import TaskLog
from lucca_ros.conversions.entries import ENTRY
from lucca_ros.conversions.snapshots import snapshot_to_msg
from lucca_ros.diagnostics import OK, WARN, parts_in

pytestmark = pytest.mark.ros


@pytest.fixture
def graph(tmp_path: Path, model: Any) -> Iterator[Graph]:
    opened = Graph(tmp_path / 'data', model)
    yield opened
    opened.close()


def test_what_is_acknowledged_is_on_disk(graph: Graph, make_table: Callable[..., Any]) -> None:
    graph.active()
    request = make_table('pear').request('sorting', 'intent', 'move_to_box_1', 'pear')
    response = graph.record(ENTRY.to_msg(request))
    assert (response.acknowledged, response.entry_id, response.message) == (True, 1, '')
    [entry] = TaskLog(DataFolder.open(graph.folder, write=False), 'sorting').entries
    assert entry.action == '<move_to_box_1(pear)>'
    again = graph.record(ENTRY.to_msg(request))
    assert not again.acknowledged
    assert 'has no outcome yet' in again.message


def test_a_worker_that_is_not_active_lists_nothing_and_says_why(graph: Graph) -> None:
    node = graph.worker()
    said: list[str] = []
    node.get_logger = lambda: type('Log', (), {'warning': staticmethod(said.append)})  # type: ignore[method-assign]
    assert node._on_tasks(ListTasks.Request(), ListTasks.Response()).tasks == []
    assert said == ['no tasks listed: the worker is not active']
    del node.get_logger  # type: ignore[method-assign]


def test_a_worker_makes_no_model_for_small_talk(graph: Graph) -> None:
    assert graph.worker(llm='embedded+local:qwen2.5-coder').trigger_configure() == SUCCESS
    assert graph.specs == ['embedded']


def test_a_disk_that_is_nearly_full_is_reported(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tuple[bytes, str]] = []
    graph.client.create_subscription(
        DiagnosticArray, 'diagnostics', lambda msg: heard.append(parts_in(msg)['worker'][:2]), 10
    )

    def until(wanted: tuple[bytes, str]) -> None:
        deadline_s = time.monotonic() + 30.0
        while wanted not in heard:
            assert time.monotonic() < deadline_s, heard
            time.sleep(0.05)

    graph.active()
    until((OK, 'ready'))
    full = 'only 3 MB are free'
    monkeypatch.setattr('worker_node.node.check_room', Mock(side_effect=MemoryFault(full)))
    until((WARN, full))


def test_a_data_folder_that_was_deleted_is_reported_before_anything_is_to_be_recorded(graph: Graph) -> None:
    said: list[str] = []
    graph.client.create_subscription(
        DiagnosticArray, 'diagnostics', lambda msg: said.append(parts_in(msg)['worker'].message), 10
    )
    node = graph.active()
    # Not deleted file by file: the worker may write one meanwhile.
    node._folder.path.rename(node._folder.path.with_name('elsewhere'))
    deadline_s = time.monotonic() + 30.0
    while not any('is gone' in text and 'restart the worker' in text for text in said):
        assert time.monotonic() < deadline_s, said
        time.sleep(0.05)


def test_an_entry_that_cannot_be_is_not_acknowledged(graph: Graph, make_table: Callable[..., Any]) -> None:
    graph.active()
    for change, reason in [
        ({'kind': 'party'}, 'kind must be one of started'),
        ({'task': ''}, 'needs a task'),
        ({'task': 'dancing'}, 'no task is named'),
        ({'duration_s': float('nan')}, 'duration_s must be finite'),
    ]:
        msg = ENTRY.to_msg(make_table('pear').request('sorting', 'started'))
        for name, value in change.items():
            setattr(msg, name, value)
        response = graph.record(msg)
        assert (response.acknowledged, response.entry_id) == (False, 0)
        assert reason in response.message


def test_what_is_seen_to_be_undone_is_listed_without_being_asked_for(
    graph: Graph, make_table: Callable[..., Any]
) -> None:
    graph.active()
    table = make_table('pear', 'cup')
    graph.record(ENTRY.to_msg(table.request('sorting', 'started')))
    intent = graph.record(ENTRY.to_msg(table.request('sorting', 'intent', 'move_to_box_1', 'pear'))).entry_id
    table.places['pear'] = 'box 1'
    done = table.request('sorting', 'outcome', 'move_to_box_1', 'pear', intent_id=intent, code='done', attempts=1)
    assert graph.record(ENTRY.to_msg(done)).acknowledged
    graph.record(ENTRY.to_msg(table.request('sorting', 'finished')))
    table.places['pear'] = 'table'
    publisher = graph.client.create_publisher(TableState, 'perception/objects', 1)

    def undone() -> list[str]:
        table.stamp_s += 1.0
        publisher.publish(snapshot_to_msg(table.snapshot()))
        listed = graph.call(ListTasks, 'memory/tasks', ListTasks.Request()).tasks
        return [action for task in listed if task.task == 'sorting' for action in task.undone]

    end_s = time.monotonic() + 60.0
    while not (found := undone()) and time.monotonic() < end_s:
        pass  # each call is a picture more
    assert found == ['<move_to_box_1(pear)>']
    [state] = [
        task for task in graph.call(ListTasks, 'memory/tasks', ListTasks.Request()).tasks if task.task == 'sorting'
    ]
    assert (state.status, list(state.actions_done)) == ('finished', [])


def test_memory_is_retrieved_and_tasks_are_listed(graph: Graph, make_table: Callable[..., Any]) -> None:
    graph.active()
    table = make_table('pear', 'cup')
    graph.record(ENTRY.to_msg(table.request('sorting', 'started')))
    request = RetrieveMemory.Request(task='sorting', table=snapshot_to_msg(table.snapshot()))
    working = graph.call(RetrieveMemory, 'memory/retrieve_working', request)
    assert (working.success, list(working.to_do), working.usage.calls) == (True, ['pear', 'cup'], 1)
    declarative = graph.call(RetrieveMemory, 'memory/retrieve_declarative', request)
    assert (declarative.success, declarative.text) == (True, 'Nothing has been done so far.')
    review = ReviewCall.Request(task='sorting', proposed='<move_to_box_1(pear)>', table=request.table)
    opinion = graph.call(ReviewCall, 'memory/review', review)
    assert (opinion.success, opinion.fits, opinion.usage.calls) == (True, True, 1)
    review.task = 'dancing'
    assert 'no task is named' in graph.call(ReviewCall, 'memory/review', review).message
    request.task = 'dancing'
    assert 'no task is named' in graph.call(RetrieveMemory, 'memory/retrieve_working', request).message
    taught = graph.call(TeachTask, 'memory/teach', TeachTask.Request(description='Give me the cup.'))
    assert (taught.success, taught.task) == (True, 'request-1')
    long = graph.call(TeachTask, 'memory/teach', TeachTask.Request(description='Give me the cup. ' * 100_000))
    assert (long.success, '2000 characters at most' in long.message) == (False, True)
    refused = graph.call(TeachTask, 'memory/teach', TeachTask.Request(task='x', description='', actions=['fly']))
    assert (refused.success, 'fly' in refused.message) == (False, True)
    tasks = {item.task: item for item in graph.call(ListTasks, 'memory/tasks', ListTasks.Request()).tasks}
    assert (tasks['sorting'].status, list(tasks['sorting'].left)) == ('running', ['pear', 'cup'])
    assert (tasks['request-1'].status, tasks['request-1'].described) == ('new', True)
    forgotten = graph.call(ForgetTask, 'memory/forget_task', ForgetTask.Request(task='request-1'))
    assert (forgotten.success, forgotten.log_file) == (True, '')
    refused = graph.call(ForgetTask, 'memory/forget_task', ForgetTask.Request(task='sorting', force=True))
    assert (refused.success, 'config/tasks.yaml' in refused.message) == (False, True)


def test_recording_waits_for_no_model(graph: Graph, make_table: Callable[..., Any]) -> None:
    asked, answer = threading.Event(), threading.Event()

    def think(name: str) -> bool:
        asked.set()
        return answer.wait(20.0)

    graph.model.wanted = think
    graph.active()
    table = make_table('pear')
    client = graph.client.create_client(RetrieveMemory, 'memory/retrieve_working')
    assert client.wait_for_service(20.0)
    pending = client.call_async(RetrieveMemory.Request(task='sorting', table=snapshot_to_msg(table.snapshot())))
    assert asked.wait(20.0)
    assert graph.record(ENTRY.to_msg(table.request('sorting', 'started'))).acknowledged
    assert not pending.done()
    answer.set()


def test_a_second_worker_on_one_folder_is_refused_until_the_first_ends(graph: Graph) -> None:
    first, second = graph.active(), graph.worker()
    assert second.trigger_configure() == SUCCESS
    assert second.trigger_activate() == TransitionCallbackReturn.FAILURE
    assert first.trigger_deactivate() == SUCCESS
    assert second.trigger_activate() == SUCCESS


def test_a_model_that_does_not_answer_leaves_the_node_inactive_and_the_folder_free(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dead(deadline_s: float) -> None:
        raise ModelUnusable('no such model')

    with monkeypatch.context() as patched:
        patched.setattr(graph.model, 'check', dead)
        node = graph.worker()
        assert node.trigger_configure() == SUCCESS
        assert node.trigger_activate() == TransitionCallbackReturn.FAILURE
    with DataFolder.open(graph.folder, write=True):
        pass
    assert node.trigger_activate() == SUCCESS
    assert node.trigger_deactivate() == SUCCESS
    assert node.trigger_cleanup() == SUCCESS


def test_a_cleanup_closes_the_model(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[bool] = []
    monkeypatch.setattr(graph.model, 'close', lambda: closed.append(True), raising=False)
    node = graph.active()
    assert node.trigger_deactivate() == SUCCESS
    assert not closed
    assert node.trigger_cleanup() == SUCCESS
    assert closed == [True]


def test_a_killed_worker_loses_no_acknowledged_entry_and_frees_the_folder(
    tmp_path: Path, model: Any, make_table: Callable[..., Any]
) -> None:
    entry = ENTRY.to_msg(make_table('pear').request('sorting', 'suspended'))
    for kills in range(1, 4):
        # A new participant each time: one that knew the dead worker would go on sending to it until its lease ends.
        graph = Graph(tmp_path / 'data', model)
        try:
            with process(graph.folder, embedding='none'):
                numbers = [graph.record(entry).entry_id for _ in range(5)]
        finally:
            graph.close()
        assert numbers == list(range(5 * kills - 4, 5 * kills + 1))
        with DataFolder.open(graph.folder, write=True) as folder:
            assert len(TaskLog(folder, 'sorting').entries) == 5 * kills


def test_a_worker_ends_well_when_asked_to(graph: Graph, make_table: Callable[..., Any]) -> None:
    with process(graph.folder, embedding='none') as worker:
        assert graph.record(ENTRY.to_msg(make_table('pear').request('sorting', 'started'))).acknowledged
        worker.send_signal(signal.SIGINT)
        assert worker.wait(30.0) == 0


def test_entries_pass_through_messages_unchanged(make_table: Callable[..., Any]) -> None:
    request = make_table('pear', 'cup').request(
        'sorting', 'outcome', 'move_to_box_1', 'pear', intent_id=3, code='done', attempts=2, duration_s=1.5, note='a\nb'
    )
    assert ENTRY.from_msg(ENTRY.to_msg(request)) == request
