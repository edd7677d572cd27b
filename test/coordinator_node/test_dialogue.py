from hypothesis import given
from hypothesis import strategies as st

from coordinator_node.tasks.dialogue import Dialogue, ModelTurn

TURNS = st.lists(st.integers(0, 9).map(lambda n: ModelTurn(f'long {n}', f'short {n}', f'answer {n}')), max_size=20)


def filled(turns, *, memory, kept):
    dialogue = Dialogue(memory=memory, turns_kept=kept)
    for turn in turns:
        dialogue.add(turn)
    return dialogue


@given(TURNS, st.integers(0, 6))
def test_with_memory_the_last_turns_stay_briefly(turns, kept):
    messages = filled(turns, memory=True, kept=kept).messages('base', 'now')
    assert (messages[0].role, messages[0].content) == ('system', 'base')
    assert (messages[-1].role, messages[-1].content) == ('user', 'now')
    last = turns[len(turns) - min(kept, len(turns)) :]
    assert [item.content for item in messages[1:-1]] == [text for turn in last for text in (turn.brief, turn.answer)]


@given(TURNS, st.integers(0, 6))
def test_without_memory_all_turns_stay_in_full(turns, kept):
    dialogue = filled(turns, memory=False, kept=kept)
    dialogue.begin_goal()
    messages = dialogue.messages('base', 'now')
    assert [item.content for item in messages[1:-1]] == [
        text for turn in turns for text in (turn.question, turn.answer)
    ]
    assert [item.role for item in messages] == ['system', *['user', 'assistant'] * len(turns), 'user']


def test_with_memory_a_new_goal_begins_with_an_empty_dialogue():
    dialogue = filled([ModelTurn('a', 'b', 'c')], memory=True, kept=4)
    dialogue.begin_goal()
    assert len(dialogue.messages('base', 'now')) == 2
