"""What was said is shown whole and once, whatever of it came as feedback."""

import pytest

pytest.importorskip('rclpy')

from lucca_cli.chat_backends import StackChat
from lucca_cli.output import Output
from lucca_core.protocol.goals import GoalFeedback, GoalResult

SAID = 'I see. I will keep that in mind.'


def report(status: str = 'finished', said: str = SAID, reason: str = '') -> GoalResult:
    return GoalResult(status=status, task='', said=said, reason=reason)


class Stack:
    """A client of a stack that tells some sentences and then reports."""

    def __init__(self, told: tuple[str, ...], report: GoalResult) -> None:
        self._told = told
        self._report = report

    def stop(self):
        raise AssertionError('nobody said stop')

    def send_goal(self, request, on_feedback):
        for text in self._told:
            on_feedback(GoalFeedback(step=0, phase='saying', text=text, code='', actions_done=(), left=()))
        return self

    def wait(self, timeout_s=None, alive=None):
        return self._report


@pytest.mark.parametrize(
    'told', [(), ('I see.',), ('I will keep that in mind.',), ('I see.', 'I will keep that in mind.')]
)
def test_each_sentence_is_shown_once_also_where_feedback_was_lost(told, capsys):
    heard = []
    answer = StackChat(Stack(told, report()), 'Ana', Output()).say('My boat is called Petrel.', heard.append)
    assert answer.text == SAID
    assert sorted(' '.join(heard).split()) == sorted(SAID.split())
    show = Output()
    for text in told:
        show.line(text)
    show.answer(report(), told=told)
    assert sorted(capsys.readouterr().out.split()) == sorted(SAID.split())


@pytest.mark.parametrize(
    ('said', 'told', 'left'),
    [
        ('No.  No, I do not. I cannot.', ('No.', 'I cannot.', 'No, I do not.'), ''),
        ('No. I do not. No.', ('No.', 'I do not.'), ''),
        ('I am fine. I hope that I am fine.', ('I am fine.',), 'I hope that I am fine.'),
        ('Yes. I said: Yes. Oh Yes.', ('Yes.',), 'I said: Yes. Oh Yes.'),
        ('He said “Stop.” Stop.', ('Stop.',), 'He said “Stop.”'),
        ('It is 3 (three).', ('Never said.', ''), 'It is 3 (three).'),
    ],
)
def test_what_is_left_are_whole_sentences_that_were_not_told(said: str, told: tuple[str, ...], left: str) -> None:
    assert report(said=said).left_to_say(told) == left


def test_a_failed_goal_shows_its_sentences_once_too(capsys):
    Output().answer(report('failed', reason='unreachable'), told=('I see.',))
    shown = capsys.readouterr().out
    assert 'failed' in shown
    assert 'unreachable' in shown
    assert 'I will keep that in mind.' in shown
    assert 'I see.' not in shown


def test_the_reason_is_shown_where_nothing_was_said():
    heard = []
    room = StackChat(Stack((), report('failed', said='', reason='unreachable')), 'Ana', Output())
    assert room.say('sort', heard.append).text == 'unreachable'
    assert heard == ['unreachable']
