"""What a page may do with a stack: what the command does, by the same client, and nothing else."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_cli.options import SAID_PRIORITY
from lucca_cli.stack_acts import StackActs
from lucca_core.errors import LuccaError
from lucca_core.protocol.goals import GoalRequest
from lucca_view.web.acts import ARGUMENTS, arguments_of

pytestmark = pytest.mark.ros


class Client:
    """Notes what is asked of the stack; has only what a page needs."""

    def __init__(self):
        self.asked = []

    def stop(self):
        self.asked.append('stop')

    def reset(self):
        self.asked.append('reset')
        return 'the arms are at home'

    def send_goal(self, request):
        self.asked.append(request)
        return SimpleNamespace(goal_id='g1', cancel=lambda: self.asked.append('cancel'))


def wanted(act, values):
    """The goal that the command gives for the same, or the call itself."""
    return {
        'say': lambda: GoalRequest(text=values['text'], person=values['person'], priority=SAID_PRIORITY),
        'run': lambda: GoalRequest(task=values['task'], person=values['person']),
        'confirm': lambda: GoalRequest(task=values['task'], person=values['person'], confirmed=values['call']),
    }.get(act, lambda: act)()


@given(st.data())
def test_an_act_gives_exactly_the_goal_of_the_command_whatever_its_texts_are(tmp_path_factory, data):
    act = data.draw(st.sampled_from(['stop', 'reset', 'say', 'run', 'confirm']))
    values = {name: data.draw(st.text(max_size=40)) for name in ARGUMENTS[act]}
    client = Client()
    StackActs(client, tmp_path_factory.getbasetemp()).do(act, values)
    assert client.asked == [wanted(act, values)]


@pytest.mark.parametrize('text', ['stop', 'Freeze!', 'halt now', 'Rosie, stop', 'e-stop'])
def test_a_stop_that_is_said_on_the_page_holds_the_arms_and_asks_nobody(tmp_path, text):
    client = Client()
    assert StackActs(client, tmp_path).do('say', {'text': text, 'person': ''}) == 'the arms hold until a reset'
    assert client.asked == ['stop']


def test_a_goal_is_cancelled_once_it_was_given_here_and_no_other(tmp_path):
    client = Client()
    acts = StackActs(client, tmp_path)
    with pytest.raises(LuccaError, match='given elsewhere'):
        acts.do('cancel', {'goal': 'g1'})
    acts.do('run', {'task': 'sorting', 'person': ''})
    acts.do('cancel', {'goal': 'g1'})
    assert client.asked[1:] == ['cancel']


@pytest.mark.parametrize('act', ['pin', 'unpin', 'restore'])
@pytest.mark.parametrize('node', ['', 'node:', '../node:1', 'node:1 OR 1=1', 'node:٣', '/etc/passwd'])
def test_a_node_is_a_number_and_nothing_that_is_looked_up_elsewhere(tmp_path, act, node):
    client = Client()
    with pytest.raises(LuccaError, match='is not a node'):
        StackActs(client, tmp_path).do(act, {'node': node})
    assert client.asked == []
    assert list(tmp_path.iterdir()) == []


@given(st.text(max_size=20), st.dictionaries(st.text(max_size=10), st.text(max_size=10) | st.integers(), max_size=3))
def test_nothing_is_an_act_but_what_is_listed_with_exactly_its_texts(act, values):
    try:
        found = arguments_of(act, values)
    except ValueError:
        return
    assert act in ARGUMENTS
    assert set(found) == set(ARGUMENTS[act])
