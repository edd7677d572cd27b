"""How goals and tasks look in the terminal."""

from lucca_cli.output import Output
from lucca_core.protocol.goals import GoalResult
from lucca_core.protocol.tasks import TaskState

BUILT = ('<put_on_tower(red cube)>', '<put_on_tower(blue cube)>')


def test_what_was_done_before_is_told_from_what_was_done_now(capsys):
    Output().report(GoalResult(status='finished', task='tower', said='', reason='', done_before=BUILT))
    assert 'tower finished: 0 done, 2 done before' in capsys.readouterr().out
    Output().report(GoalResult(status='finished', task='tower', said='', reason='', actions_done=BUILT))
    assert capsys.readouterr().out.rstrip().endswith('finished: 2 done')


def test_the_table_of_tasks_keeps_what_was_done_before_a_task_was_begun_anew(capsys):
    task = TaskState(
        task='tower',
        description='',
        status='finished',
        actions_done=BUILT[1:],
        left=(),
        open_intent='',
        repeated=0,
        retries=0,
        done_before=BUILT[:1],
    )
    show = Output()
    show.console.width = 200
    show.tasks([task])
    told = capsys.readouterr().out
    assert 'before: <put_on_tower(red cube)>' in told
    assert 'before: <put_on_tower(blue cube)>' not in told
    assert '<put_on_tower(blue cube)>' in told


def test_a_task_that_was_undone_says_how_much_of_it_and_which_objects(capsys):
    task = TaskState(
        task='tower',
        description='',
        status='finished',
        actions_done=BUILT,
        left=(),
        open_intent='',
        repeated=0,
        retries=0,
        undone=('<put_on_tower(green cube)>', '<put_on_tower(white cube)>'),
    )
    show = Output()
    show.console.width = 200
    show.tasks([task])
    assert 'finished; 2 of 4 no longer so: green cube, white cube' in capsys.readouterr().out
    show.report(GoalResult(status='finished', task='tower', said='', reason='', actions_done=BUILT, undone=BUILT[:1]))
    assert 'finished: 2 done, found undone: red cube' in capsys.readouterr().out
