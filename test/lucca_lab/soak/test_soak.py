"""A soak's goals, its sizes and its table; the stack itself runs in `lucca bench soak` and in the soak tests."""

import json
import os
import threading
from collections import Counter

from lucca_core.protocol.entries import RESTART, EntryKind
from lucca_lab.soak.goals import GoalDraw, GoalKind
from lucca_lab.soak.report import soak_report, soak_table, uncertain_line
from lucca_lab.soak.run import SAMPLES_FILE, Sample, Soak, load_samples
from lucca_lab.soak.sizes import ProcessSizes, folder_bytes
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.entry import Entry
from lucca_memory.declarative.log import TaskLog
from lucca_memory.declarative.replay import replay


def test_the_same_seed_draws_the_same_goals():
    one, other = GoalDraw(3), GoalDraw(3)
    assert [one.next() for _ in range(200)] == [other.next() for _ in range(200)]
    assert [GoalDraw(4).next() for _ in range(200)] != [GoalDraw(3).next() for _ in range(200)]


def test_every_kind_is_drawn_and_only_what_was_told_is_forgotten():
    draw, told = GoalDraw(0), Counter()
    kinds = set()
    for _ in range(2000):
        goal = draw.next()
        kinds.add(goal.kind)
        if goal.kind is GoalKind.REMEMBER:
            told[goal.request.person, goal.request.text.removeprefix('Remember ')] += 1
        if goal.kind is GoalKind.FORGET:
            told[goal.request.person, goal.request.text.removeprefix('Forget ')] -= 1
    assert kinds == set(GoalKind)
    assert set(told.values()) <= {0, 1}


def test_the_sizes_of_a_process_follow_its_threads_and_descriptors(tmp_path):
    before = ProcessSizes.of(os.getpid())
    end = threading.Event()
    threads = [threading.Thread(target=end.wait) for _ in range(5)]
    for thread in threads:
        thread.start()
    descriptors = [os.open(tmp_path, os.O_RDONLY) for _ in range(7)]
    after = ProcessSizes.of(os.getpid())
    end.set()
    for thread in threads:
        thread.join()
    for descriptor in descriptors:
        os.close(descriptor)
    assert (after.threads - before.threads, after.descriptors - before.descriptors) == (5, 7)
    assert after.memory_kb > 1000


def test_a_process_that_has_ended_has_no_sizes():
    assert ProcessSizes.of(2**22 + 1) is None


def test_files_of_a_data_folder_are_logs_databases_or_others(tmp_path):
    (tmp_path / 'tasks').mkdir()
    for name, size in (('tasks/sorting.log', 10), ('tasks/sorting.head', 5), ('people.sqlite-wal', 3), ('format', 1)):
        (tmp_path / name).write_bytes(b'x' * size)
    assert folder_bytes(tmp_path) == {'log': 15, 'database': 3, 'other files': 1}


def samples_of(count):
    return [
        Sample(
            goal=goal,
            kind='task',
            status='finished' if goal % 10 else 'failed: no answer',
            wall_s=2.0 * goal,
            processes={'worker': ProcessSizes(100, 5000 + 2 * goal, 20, 8)},
            files={'log': 1024 * goal, 'database': 4096, 'other files': 0},
        )
        for goal in range(1, count + 1)
    ]


def test_the_report_has_the_growth_of_each_size_and_tells_what_was_not_as_asked():
    report = soak_report(samples_of(100))
    rows = {(row['of'], row['size']): row for row in report['rows']}
    assert (rows['worker', 'memory']['per_goal'], rows['worker', 'threads']['per_goal']) == (2.0, 0.0)
    assert (rows['data folder', 'log']['per_goal'], rows['data folder', 'database']['per_goal']) == (1.0, 0.0)
    assert (report['goals'], report['wall_s'], report['statuses']) == (100, 200.0, {'finished': 90, 'failed': 10})
    assert len(report['not_as_asked']) == 10
    assert json.loads(json.dumps(report)) == report
    assert '| worker | memory | 5002 kB | 5200 kB | 2.000 [2.000, 2.000] kB | 1 |' in soak_table(report)


def test_a_line_that_was_not_written_to_its_end_is_left_out(tmp_path):
    lines = [json.dumps(sample.as_json()) + '\n' for sample in samples_of(3)]
    tmp_path.joinpath(SAMPLES_FILE).write_text(''.join(lines)[:-9])
    assert load_samples(tmp_path) == samples_of(2)


def test_uncertain_outcomes_of_every_episode_are_counted_and_told(tmp_path):
    def pointed(intent_id, *, uncertain, code='done'):
        return [
            Entry(kind=EntryKind.INTENT, action='<point(can)>', object_id='can', object_name='can'),
            Entry(
                kind=EntryKind.OUTCOME,
                action='<point(can)>',
                object_id='can',
                object_name='can',
                intent_id=intent_id,
                code=code,
                uncertain=uncertain,
            ),
        ]

    started = Entry(kind=EntryKind.STARTED, code=RESTART)
    first = [started, *pointed(2, uncertain=True, code='effect_not_seen'), *pointed(4, uncertain=True)]
    second = [started, *pointed(7, uncertain=True), *pointed(9, uncertain=False)]
    soak = Soak(tmp_path, 0)
    with DataFolder.open(soak.data, write=True) as data:
        for task, entries in (('pointing', [*first, *second]), ('sorting', [started])):
            log = TaskLog(data, task)
            for entry in entries:
                log.append(entry)
        # The state has the last episode's alone.
        assert replay(TaskLog(data, 'pointing').entries).uncertain == 1
    assert soak.uncertain() == {'pointing': 3}
    report = soak_report(samples_of(3), uncertain=soak.uncertain())
    assert report['uncertain_outcomes'] == {'pointing': 3}
    assert uncertain_line(report) == 'uncertain outcomes: 3 (pointing 3)'
    assert uncertain_line(soak_report(samples_of(3))) == 'uncertain outcomes: 0'
