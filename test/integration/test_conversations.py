"""Conversations with a whole stack: what somebody says is known after a restart, to that person and to nobody else."""

import pytest
from rig import Rig, running

from lucca_cli.commands.chat import open_chat
from lucca_cli.output import Output
from lucca_core.protocol.goals import GoalRequest, GoalResult

pytestmark = [pytest.mark.ros, pytest.mark.timeout(900)]


def say(rig: Rig, text: str, person: str = '') -> GoalResult:
    return rig.do(GoalRequest(text=text, person=person, priority=10))


def test_what_ana_said_is_known_after_a_restart_to_ana_and_not_to_ben(tmp_path):
    with running(tmp_path, 'tower') as rig:
        goal, steps = rig.start(GoalRequest(text='My boat is called Petrel.', person='Ana', priority=10))
        assert goal.wait(120.0, rig.stack.alive).finished
        # Feedback has a way of its own: the last of it may come after the result.
        steps.until(lambda step: step.text == 'I will keep that in mind.', 10.0)
        assert [step.text for step in steps.seen if step.phase == 'saying'] == ['I see.', 'I will keep that in mind.']
        taught = say(rig, 'a new task called breakfast: give me the red cube', 'Ana')
        assert 'learned the task breakfast' in taught.said
    with running(tmp_path, 'tower') as rig:
        goal, steps = rig.start(GoalRequest(text='What is my boat called?', person='Ana', priority=10))
        report = goal.wait(120.0, rig.stack.alive)
        assert 'you told me: “My boat is called Petrel”' in report.said
        steps.until(lambda step: step.phase == 'recalled' and 'said:' in step.text, 10.0)
        assert 'Petrel' not in say(rig, 'What is my boat called?', 'Ben').said
        assert 'Petrel' not in say(rig, 'My name is Ana. What is my boat called?').said
        assert say(rig, '/feedback good', 'Ana').said.startswith('Kept, for what I said:')
        # A worker that was started anew knows of no conversation; the coordinator has it met again.
        rig.kill('worker')
        assert 'Petrel' in say(rig, 'What is my boat called?', 'Ana').said
        rig.shut_down('worker')
        assert 'Petrel' in say(rig, 'What is my boat called?', 'Ana').said
        assert 'breakfast' in {item.task for item in rig.stack.client.tasks()}
        # The folder is the stack's: the chat goes through it.
        with open_chat('Ana', rig.folder / 'memory', '', '', 'none', Output()) as room:
            heard: list[str] = []
            answer = room.say('What is my boat called?', heard.append)
            assert heard == [answer.text]
            assert 'Petrel' in answer.text
            assert any('said:' in line for line in answer.recalled)
            assert 'breakfast' in {name for name, _, _ in room.tasks()}
        with open_chat('', rig.folder / 'memory', '', '', 'none', Output()) as room:
            room.say('My goat is called Greta.', heard.append)
            assert 'Greta' in room.say('What is my goat called?', heard.append).text
        with open_chat('', rig.folder / 'memory', '', '', 'none', Output()) as room:
            assert 'Greta' not in room.say('What is my goat called?', heard.append).text
        moved = say(rig, 'do breakfast', 'Ana')
        assert (moved.status, moved.actions_done) == ('finished', ('<give(red cube)>',))
        assert say(rig, 'fly to the moon', 'Ana').status == 'refused'
