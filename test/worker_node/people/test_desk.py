"""The desk: whose memory it is follows from the conversation alone, and what is acknowledged is kept."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lucca_core.errors import DeskRefusal, MemoryFault
from lucca_core.protocol.refusal import DeskCode
from lucca_memory.people.values import ROBOT
from worker_node.people.conversations import Conversations
from worker_node.people.desk import KINDS

NOON = datetime(2026, 3, 2, 12, 0, 0, 123456, tzinfo=UTC)


def refused(call: Callable[[], object], code: DeskCode, reason: str) -> None:
    with pytest.raises(DeskRefusal) as caught:
        call()
    assert caught.value.code is code
    assert reason in str(caught.value)


# -- who --------------------------------------------------------------------------------------------------------


def test_a_person_is_whom_a_trusted_source_names(office: Any) -> None:
    met = office.desk.meet('cli', 'Anna', 'c1')
    assert (met.person, met.known, met.first_time) == ('Anna', True, True)
    assert office.desk.meet('speech', 'anna', 'c2').person == met.person


@pytest.mark.parametrize(('source', 'name'), [('ros', 'Anna'), ('', 'Anna'), ('cli', ''), ('cli', '  ')])
def test_anybody_else_is_a_guest(office: Any, source: str, name: str) -> None:
    office.says('Anna', 'My locker code is 4711.')
    met = office.desk.meet(source, name, 'c9')
    assert not met.known
    assert (met.opening, met.current) == ((), ())
    assert office.texts('c9', 'What is my locker code?') == []


def test_what_is_trusted_is_a_setting(make_office: Callable[..., Any]) -> None:
    office = make_office(trusted_sources=('door',))
    assert not office.desk.meet('cli', 'Anna', 'c1').known
    assert office.desk.meet('door', 'Anna', 'c2').known


def test_a_conversation_stays_with_whom_it_began_with(office: Any) -> None:
    office.says('Anna', 'My locker code is 4711.', conversation='c1')
    refused(lambda: office.desk.meet('cli', 'Bob', 'c1'), DeskCode.OTHER_PERSON, 'somebody else')
    assert office.desk.meet('ros', 'Bob', 'c1').person == 'Anna'
    office.desk.meet('ros', '', 'c2')
    refused(lambda: office.desk.meet('cli', 'Anna', 'c2'), DeskCode.OTHER_PERSON, 'somebody else')


def test_nothing_is_done_in_a_conversation_in_which_nobody_was_met(office: Any) -> None:
    desk = office.desk
    for call in (
        lambda: desk.recall('c1', 'anything'),
        lambda: desk.record_turn('c1', 'Hello.', 'Hello.'),
        lambda: desk.remember('c1', 'I like tea.'),
        lambda: desk.forget('c1', ['said:1']),
        lambda: desk.feedback('c1', 'good'),
        lambda: desk.introduce('c1', 'Anna'),
    ):
        refused(call, DeskCode.NOT_MET, 'nobody was met')
    desk.end('c1')


@pytest.mark.parametrize('conversation', ['', 'x' * 201])
def test_a_conversation_needs_an_id(office: Any, conversation: str) -> None:
    refused(lambda: office.desk.meet('cli', 'Anna', conversation), DeskCode.BAD_REQUEST, '1 to 200 characters')


def test_an_introduction_makes_a_new_person_and_opens_nobodys_memory(office: Any) -> None:
    office.says('Anna', 'My locker code is 4711.')
    office.desk.meet('ros', '', 'c2')
    office.desk.record_turn('c2', 'I play the harp.', 'Nice.')
    introduced = office.desk.introduce('c2', 'Anna')
    assert (introduced.person.name, introduced.renamed) == ('Anna 2', True)
    assert 'I play the harp.' in office.texts('c2', 'Which instrument do I play?')
    assert all('4711' not in text for text in office.texts('c2', 'What is my locker code?'))
    refused(lambda: office.desk.introduce('c2', 'Bob'), DeskCode.OTHER_PERSON, 'another name')
    assert office.desk.introduce('c2', 'Anna 2').person == introduced.person


def test_an_introduction_needs_a_name(office: Any) -> None:
    office.desk.meet('ros', '', 'c1')
    refused(lambda: office.desk.introduce('c1', ' '), DeskCode.BAD_REQUEST, 'must not be empty')


def test_a_guest_leaves_nothing(office: Any) -> None:
    office.desk.meet('ros', '', 'c1')
    office.desk.record_turn('c1', 'My word is zygomorphic.', 'I see.')
    assert 'My word is zygomorphic.' in office.texts('c1', 'What is my word?')
    office.desk.end('c1')
    office.desk.meet('ros', '', 'c1')
    assert office.texts('c1', 'What is my word?') == []
    assert all(b'zygomorphic' not in path.read_bytes() for path in office.path.rglob('*') if path.is_file())


def test_of_too_many_guests_the_longest_known_is_forgotten(make_office: Callable[..., Any]) -> None:
    desk = make_office(most_guests=2).desk
    for name in ('g1', 'g2', 'g3'):
        desk.meet('ros', '', name)
        desk.record_turn(name, f'I am number {name}.', 'I see.')
    refused(lambda: desk.recall('g1', 'number'), DeskCode.NOT_MET, 'nobody was met')
    assert desk.recall('g2', 'number')
    assert desk.recall('g3', 'number')


# -- what was said ----------------------------------------------------------------------------------------------


def test_what_was_recorded_is_recalled_after_a_restart(make_office: Callable[..., Any]) -> None:
    make_office().says('Anna', 'I am allergic to nuts.')
    office = make_office()
    office.desk.meet('cli', 'Anna', 'another day')
    [found, *_] = office.desk.recall('another day', 'What am I allergic to?', kinds=['said'])
    assert (found.text, found.speaker, found.kind) == ('I am allergic to nuts.', 'Anna', 'said')


def test_a_turn_told_twice_is_stored_once(office: Any) -> None:
    office.desk.meet('cli', 'Anna', 'c1')
    told = [office.desk.record_turn('c1', 'Hello.', 'Hello, Anna.', time=NOON) for _ in range(3)]
    assert told[0] == told[1] == told[2] == ('said:1', 'said:2')
    assert len(office.memory.short_term(office.memory.person('Anna'))) == 2
    assert office.desk.record_turn('c1', 'Hello.', 'Hello, Anna.') != told[0]


@pytest.mark.parametrize(
    ('utterance', 'answer', 'recalled', 'reason'),
    [
        (' ', 'Hm?', [], 'utterance must not be empty'),
        ('x' * 20_001, '', [], '20001 characters'),
        ('Hello.', 'x' * 20_001, [], 'answer has 20001 characters'),
        ('Hello.', '', ['said:1'] * 201, '201 ids'),
        ('Hello.', '', ['said:1', 'fact:' + 'x' * 5_000], 'an id in recalled has 5005 characters'),
    ],
)
def test_a_turn_that_cannot_be_is_refused_whole(
    office: Any, utterance: str, answer: str, recalled: list[str], reason: str
) -> None:
    office.desk.meet('cli', 'Anna', 'c1')
    refused(lambda: office.desk.record_turn('c1', utterance, answer, recalled=recalled), DeskCode.BAD_REQUEST, reason)
    assert office.memory.short_term(office.memory.person('Anna')) == ()
    assert office.turns_of == []


def test_an_answer_is_no_evidence_beside_what_it_rests_on(office: Any) -> None:
    [said, _] = office.says('Anna', 'I keep bees in the garden.')
    office.desk.record_turn('Anna at home', 'What do I keep?', 'You keep bees in the garden.', recalled=[said])
    office.desk.meet('cli', 'Anna', 'c2')
    texts = office.texts('c2', 'Who keeps bees in the garden?')
    assert 'I keep bees in the garden.' in texts
    assert 'You keep bees in the garden.' not in texts


def test_what_was_forgotten_is_not_told_by_an_answer_that_rests_on_it(office: Any) -> None:
    [said, _] = office.says('Anna', 'I keep bees in the garden.')
    office.desk.record_turn('Anna at home', 'What is it I keep?', 'You keep bees.', recalled=[said])
    assert office.desk.forget('Anna at home', [said, said]) == 1
    assert all('bees' not in text for text in office.texts('Anna at home', 'bees in the garden'))
    office.memory.restore(office.memory.person('Anna'), [said])
    assert 'I keep bees in the garden.' in office.texts('Anna at home', 'bees in the garden')


@pytest.mark.parametrize(
    'again',
    ["The gala's budget is 30 euros.", 'Please remember that the budget of the gala is 30 euros.', 'Is it? {}', '{}'],
)
def test_what_was_said_twice_is_forgotten_with_both_lines_and_restored_line_by_line(office: Any, again: str) -> None:
    told = 'The budget of the gala is 30 euros.'
    first, _, second, _ = office.says('Anna', told, again.format(told))
    assert office.desk.forget('Anna at home', [first]) == 2
    assert not any('30' in text for text in office.texts('Anna at home', 'What is the budget of the gala?'))
    office.memory.restore(office.memory.person('Anna'), [second])
    assert office.texts('Anna at home', 'What is the budget of the gala?')[:1] == [again.format(told)]


@pytest.mark.parametrize(
    'other',
    [
        'The budget of the gala is 40 euros.',
        'The budget of the gala is 30 euros. My bike is green.',
        'The budget of the gala is 30 euros?',
        'The budget of the gala is not 30 euros.',
    ],
)
def test_what_says_something_else_is_not_forgotten_with_a_line(office: Any, other: str) -> None:
    first, *_ = office.says('Anna', 'The budget of the gala is 30 euros.', other)
    bobs, _ = office.says('Bob', 'The budget of the gala is 30 euros.')
    assert office.desk.forget('Anna at home', [first]) == 1
    assert other in office.texts('Anna at home', 'What is the budget of the gala?')
    assert office.memory.lines(office.memory.person('Bob'), [bobs])


def test_only_lines_of_ones_own_can_be_forgotten_and_all_or_none(office: Any) -> None:
    [annas, _] = office.says('Anna', 'I keep bees.')
    [bobs, _] = office.says('Bob', 'I keep ducks.')
    forget = office.desk.forget
    refused(lambda: forget('Bob at home', [bobs, annas]), DeskCode.BAD_REQUEST, 'nothing was forgotten')
    refused(lambda: forget('Bob at home', ['fact:a.md:1']), DeskCode.BAD_REQUEST, 'names nothing said')
    refused(lambda: forget('Bob at home', []), DeskCode.BAD_REQUEST, 'nothing was named')
    refused(
        lambda: forget('Bob at home', ['said:999999999999999999999999']), DeskCode.BAD_REQUEST, 'names nothing said'
    )
    assert 'I keep ducks.' in office.texts('Bob at home', 'ducks')
    assert 'I keep bees.' in office.texts('Anna at home', 'bees')


def test_what_is_asked_to_be_kept_is_kept_once_and_is_no_conversation_to_come_back_to(office: Any) -> None:
    office.says('Anna', 'I am off to Kiel.')
    kept = office.desk.remember('Anna at home', 'I park on level 3. ')
    assert office.desk.remember('Anna at home', 'I park on level 3.') == kept
    met = office.desk.meet('cli', 'Anna', 'c2')
    assert [item.text for item in met.opening] == ['I am off to Kiel.']
    [found, *_] = office.texts('c2', 'On which level do I park?')
    assert found == 'I park on level 3.'


def test_what_a_guest_asks_to_be_kept_goes_with_an_introduction_and_else_with_the_guest(office: Any) -> None:
    for conversation in ('c1', 'c2'):
        office.desk.meet('ros', '', conversation)
        office.desk.remember(conversation, f'I park at {conversation}.')
    office.desk.introduce('c1', 'Cleo')
    office.desk.end('c2')
    office.desk.meet('cli', 'Cleo', 'c3')
    assert office.texts('c3', 'Where do I park?') == ['I park at c1.']


def test_feedback_is_kept_with_what_the_answer_rested_on(office: Any) -> None:
    [said, _] = office.says('Anna', 'I keep bees.')
    office.desk.record_turn('Anna at home', 'What do I keep?', 'Bees.', recalled=[said])
    assert office.desk.feedback('Anna at home', 'good') == 'Bees.'
    [given] = office.store.feedback()
    assert (given.verdict, given.recalled) == ('good', (said,))
    refused(lambda: office.desk.feedback('Anna at home', 'fine'), DeskCode.BAD_REQUEST, 'good or bad')
    office.desk.meet('ros', '', 'c2')
    with pytest.raises(MemoryFault, match='guest'):
        office.desk.feedback('c2', 'good')


# -- what is remembered -----------------------------------------------------------------------------------------


def test_meeting_again_has_something_from_last_time_and_what_was_said_so_far(office: Any) -> None:
    office.says('Anna', 'I ran a marathon in Kiel.', 'Really?', conversation='monday')
    office.says('Anna', 'Good morning.', conversation='tuesday')
    met = office.desk.meet('cli', 'Anna', 'tuesday')
    assert 'I ran a marathon in Kiel.' in [item.text for item in met.opening]
    assert [item.text for item in met.current] == ['Good morning.', 'I see.']
    assert not met.first_time


def test_the_current_conversation_can_be_left_out(office: Any) -> None:
    office.says('Anna', 'My bike is red.', conversation='c1')
    office.says('Anna', *(f'My bike has {number} gears.' for number in range(30)), conversation='c2')
    assert office.texts('c2', 'Tell me about my bike.', skip_current=True, kinds=['said']) == [
        'My bike is red.',
        'I see.',
    ]


def test_memories_fit_limit_and_budget(office: Any) -> None:
    office.says('Anna', *(f'My bike has {number} gears and many other parts.' for number in range(20)))
    assert len(office.texts('Anna at home', 'bike', limit=3)) == 3
    assert len(office.texts('Anna at home', 'bike')) == 8
    few = office.texts('Anna at home', 'bike', token_budget=30)
    assert 1 <= len(few) < 8
    assert sum(len(text) // 4 + 1 for text in few) <= 30


def test_facts_have_file_and_line_and_kinds_take_turns(office: Any) -> None:
    (office.path / 'facts').mkdir()
    (office.path / 'facts' / 'bikes.md').write_text('# Shop\n\nThe bike shop opens at nine.\n\nIt has bike pumps.\n')
    office.facts.refresh()
    office.says('Anna', 'My bike is red.', 'My bike is fast.')
    found = office.desk.recall('Anna at home', 'bike', kinds=['fact', 'said'], limit=4)
    assert [item.kind for item in found] == ['said', 'fact', 'said', 'fact']
    fact = next(item for item in found if 'nine' in item.text)
    assert (fact.file, fact.first_line, fact.last_line, fact.source) == ('bikes.md', 3, 3, 'bikes.md:3')
    assert {item.kind for item in office.desk.recall('Anna at home', 'bike')} == {'said', 'fact'}


def test_a_kind_that_is_none_is_refused(office: Any) -> None:
    office.desk.meet('cli', 'Anna', 'c1')
    refused(lambda: office.desk.recall('c1', 'x', kinds=['secret']), DeskCode.BAD_REQUEST, "got 'secret'")
    refused(lambda: office.desk.recall('c1', ' '), DeskCode.BAD_REQUEST, 'query must not be empty')


def test_nobody_recalls_another_persons_words_whatever_is_asked(office: Any) -> None:
    people = [f'Person{number}' for number in range(5)]
    for name in people:
        office.says(name, f'The secret of {name} is mark{name}.')
    office.desk.meet('ros', 'Person1', 'guest')
    for asker in (*(f'{name} at home' for name in people), 'guest'):
        own = asker.removesuffix(' at home')
        for other in people:
            for query in (
                f'The secret of {other} is',
                f'I am {other}; what is my secret?',
                f'mark{other} said:1 --kinds',
            ):
                found = office.texts(asker, query, limit=50, token_budget=10_000)
                assert all('mark' not in text or f'mark{own}' in text for text in found)


def test_the_kinds_of_the_interface_are_those_of_memory() -> None:
    assert KINDS == ('said', 'summary', 'fact', 'task', 'statement')
    assert ROBOT == 'robot'


class _Names:
    """Stands for the memory: persons by name, numbered as they come."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {}

    def _new(self, name: str, sign: int) -> Any:
        from lucca_memory.people.values import Person

        return self.known.setdefault(name, Person(person_id=sign * (len(self.known) + 1), name=name, since=NOON))

    def person(self, name: str) -> Any:
        return self._new(name, 1)

    def guest(self, conversation: str) -> Any:
        return self._new(f'guest of {conversation}', -1)

    def end(self, conversation: str) -> None:
        self.known.pop(f'guest of {conversation}', None)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(['cli', 'ros']), st.sampled_from(['', 'Anna', 'Bob']), st.sampled_from('abc')),
        max_size=30,
    )
)
def test_a_conversation_never_changes_hands(meetings: list[tuple[str, str, str]]) -> None:
    conversations = Conversations(_Names(), ['cli'], 100)  # type: ignore[arg-type]
    bound: dict[str, Any] = {}
    for source, name, conversation in meetings:
        try:
            person = conversations.meet(source, name, conversation)
        except DeskRefusal:
            continue
        assert bound.setdefault(conversation, person) == person
        assert conversations.person(conversation) == person
        assert person.is_guest or person.name in ('Anna', 'Bob')
