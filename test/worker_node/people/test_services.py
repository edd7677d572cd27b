"""The services about people over real DDS: who is met, what is kept, and that no intent waits behind any of it."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('rclpy')

from lucca_interfaces.srv import (
    EndConversation,
    Feedback,
    Forget,
    Introduce,
    Meet,
    Recall,
    RecordTurn,
    Remember,
)
from worker_graph import SUCCESS, Graph

from lucca_core.errors import StackError
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.embedding.embedder import Vectors
from lucca_ros.conversions.entries import ENTRY
from lucca_ros.conversions.stamps import moment_from_msg

pytestmark = pytest.mark.ros


class Held(HashedEmbedder):
    """Embeds what contains `word` only once it is let."""

    def __init__(self, word: str) -> None:
        super().__init__()
        self._word = word
        self.asked_for_it, self.let = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str]) -> Vectors:
        if any(self._word in text for text in texts):
            self.asked_for_it.set()
            assert self.let.wait(60.0)
        return super().embed(texts)


class People:
    """The services, as a client has them."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def meet(self, conversation: str, person: str = '', source: str = 'cli') -> Any:
        request = Meet.Request(source=source, person=person, conversation=conversation)
        return self.graph.call(Meet, 'memory/meet', request)

    def turn(self, conversation: str, utterance: str, answer: str = 'I see.', **more: Any) -> Any:
        request = RecordTurn.Request(conversation=conversation, utterance=utterance, answer=answer, **more)
        return self.graph.call(RecordTurn, 'memory/record_turn', request)

    def recall(self, conversation: str, query: str, *kinds: str, **more: Any) -> Any:
        request = Recall.Request(conversation=conversation, query=query, kinds=list(kinds), **more)
        return self.graph.call(Recall, 'memory/recall', request)


@pytest.fixture
def embedder() -> HashedEmbedder:
    return HashedEmbedder()


@pytest.fixture
def graph(tmp_path: Path, model: Any, embedder: HashedEmbedder) -> Iterator[Graph]:
    opened = Graph(tmp_path / 'data', model, embedder)
    yield opened
    opened.close()


@pytest.fixture
def people(graph: Graph) -> People:
    return People(graph)


def test_a_person_is_met_and_told_what_they_said_last_time(graph: Graph, people: People) -> None:
    graph.active()
    first = people.meet('monday', 'Anna')
    assert (first.ok, first.code, first.person, first.known, first.first_time) == (True, '', 'Anna', True, True)
    turn = people.turn('monday', 'I keep bees.')
    assert (turn.ok, list(turn.ids)) == (True, ['said:1', 'said:2'])
    again = people.meet('tuesday', 'Anna', 'speech')
    assert not again.first_time
    assert [item.text for item in again.opening] == ['I keep bees.']
    found = people.recall('tuesday', 'What do I keep?', 'said')
    assert (found.ok, found.by_words_only) == (True, False)
    best = found.memories[0]
    assert (best.kind, best.id, best.text, best.speaker, best.conversation) == (
        'said',
        'said:1',
        'I keep bees.',
        'Anna',
        'monday',
    )
    assert moment_from_msg(best.stamp) is not None


def test_what_a_person_asks_of_memory_is_done(graph: Graph, people: People) -> None:
    graph.active()
    people.meet('c1', 'Anna')
    kept = graph.call(Remember, 'memory/remember', Remember.Request(conversation='c1', text='I park on level 3.'))
    assert (kept.ok, kept.id) == (True, 'said:1')
    people.turn('c1', 'Where do I park?', 'On level 3.', recalled=[kept.id])
    judged = graph.call(Feedback, 'memory/feedback', Feedback.Request(conversation='c1', verdict='good'))
    assert (judged.ok, judged.answer) == (True, 'On level 3.')
    away = graph.call(Forget, 'memory/forget', Forget.Request(conversation='c1', ids=[kept.id]))
    assert (away.ok, away.count) == (True, 1)
    assert all('level 3' not in item.text for item in people.recall('c1', 'level 3').memories)
    unknown = graph.call(Forget, 'memory/forget', Forget.Request(conversation='c1', ids=['said:999']))
    assert (unknown.ok, unknown.code, unknown.count) == (False, 'bad_request', 0)


def test_a_guest_introduces_themselves_or_leaves_nothing(graph: Graph, people: People) -> None:
    graph.active()
    for conversation in ('c1', 'c2'):
        met = people.meet(conversation, 'Anna', 'stranger')
        assert (met.ok, met.known, met.person) == (True, False, '')
        assert people.turn(conversation, f'I play the harp in {conversation}.').ok
    introduced = graph.call(Introduce, 'memory/introduce', Introduce.Request(conversation='c1', name='Cleo'))
    assert (introduced.ok, introduced.person, introduced.renamed) == (True, 'Cleo', False)
    assert graph.call(EndConversation, 'memory/end_conversation', EndConversation.Request(conversation='c2')).ok
    people.meet('c3', 'Cleo')
    texts = [item.text for item in people.recall('c3', 'Where do I play the harp?').memories]
    assert 'I play the harp in c1.' in texts
    assert 'I play the harp in c2.' not in texts


def test_what_cannot_be_done_has_a_code_and_a_reason(graph: Graph, people: People) -> None:
    node = graph.active()
    unmet = people.recall('c9', 'anything')
    assert (unmet.ok, unmet.code) == (False, 'not_met')
    assert 'nobody was met' in unmet.reason
    people.meet('c1', 'Anna')
    taken = people.meet('c1', 'Bob')
    assert (taken.ok, taken.code, taken.person) == (False, 'other_person', '')
    assert people.recall('c1', 'x', 'gossip').code == 'bad_request'
    stamp = RecordTurn.Request().stamp
    stamp.sec = -1
    assert people.turn('c1', 'Hello.', stamp=stamp).code == 'bad_request'
    assert node.trigger_deactivate() == SUCCESS
    assert node.trigger_activate() == SUCCESS
    # As after a restart: whoever asks has to say again who it is.
    assert people.recall('c1', 'anything').code == 'not_met'
    assert people.meet('c1', 'Anna').ok


@pytest.mark.parametrize('embedder', [Held('honey')])
def test_no_intent_waits_behind_a_recall_or_an_embedding(
    graph: Graph, people: People, embedder: Held, make_table: Callable[..., Any]
) -> None:
    graph.active()
    people.meet('c1', 'Anna')
    people.turn('c1', 'I keep bees.')
    recall = graph.client.create_client(Recall, 'memory/recall')
    record = graph.client.create_client(RecordTurn, 'memory/record_turn')
    assert recall.wait_for_service(20.0)
    assert record.wait_for_service(20.0)
    try:
        recalling = recall.call_async(Recall.Request(conversation='c1', query='Where is the honey?'))
        assert embedder.asked_for_it.wait(20.0)
        embedder.asked_for_it.clear()
        recording = record.call_async(RecordTurn.Request(conversation='c1', utterance='The honey is sold.'))
        assert embedder.asked_for_it.wait(20.0)
        intent = make_table('pear').request('sorting', 'intent', 'move_to_box_1', 'pear')
        assert graph.record(ENTRY.to_msg(intent)).acknowledged
        assert not recalling.done()
        assert not recording.done()
    finally:
        embedder.let.set()
    done = threading.Event()
    recalling.add_done_callback(lambda _: done.set())
    assert done.wait(20.0)
    assert recalling.result().ok


def test_the_services_end_only_after_the_calls_that_run(tmp_path: Path, model: Any):
    embedder = Held('slowly')
    graph = Graph(tmp_path / 'data', model, embedder)
    try:
        node = graph.active()
        people = People(graph)
        assert people.meet('c', 'Ana').ok
        answers: list[Any] = []

        def ask() -> None:
            # The answer itself may be lost with the service.
            with contextlib.suppress(StackError):
                answers.append(people.recall('c', 'slowly'))

        asking = threading.Thread(target=ask)
        asking.start()
        assert embedder.asked_for_it.wait(60.0)
        ended: list[Any] = []
        ending = threading.Thread(target=lambda: ended.append(node.trigger_deactivate()))
        ending.start()
        # It waits: nothing takes the memory away from under the recall.
        ending.join(0.5)
        assert ending.is_alive()
        embedder.let.set()
        ending.join(60.0)
        asking.join(60.0)
        assert ended == [SUCCESS]
    finally:
        embedder.let.set()
        graph.close()
