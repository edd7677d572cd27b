"""Drawn requests, public instruction sets, and their verdicts."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from lucca_core.errors import ConfigError
from lucca_lab.commands.groups import eval_app
from lucca_lab.understanding.drawn_request import POINTED, USER, DrawnRequest
from lucca_lab.understanding.instruction_sets import Half, InstructionSet, half_of, load_instructions
from lucca_lab.understanding.outcomes import End
from lucca_lab.understanding.requests import Verdict, judge_requests, verdict
from lucca_lab.understanding.requests_drawn import draw_requests, load_nouns

NOUNS = tuple(f'{first}{second}o' for first in ('bla', 'kri', 'mu', 'spe') for second in ('n', 'rt', 'v', 'dd'))


@given(seed=st.integers(0, 10_000))
def test_a_request_speaks_only_of_what_it_wants(seed):
    for request in draw_requests(12, seed, NOUNS):
        there = {item.partition(' ')[0] for item in request.objects}
        assert len(there) == len(request.objects)
        for deeds in request.wanted:
            assert {name for _, name in deeds} <= there
            assert {place for place, _ in deeds} <= {'box 1', 'box 2', 'bowl', USER, POINTED}
        assert set(request.order) <= {deed for deeds in request.wanted for deed in deeds}
        assert '{' not in request.text
        assert bool(request.wanted) == (request.kind not in ('outside', 'not there'))


def test_the_same_seed_draws_the_same():
    assert draw_requests(24, 3, NOUNS) == draw_requests(24, 3, NOUNS)
    assert draw_requests(24, 3, NOUNS) != draw_requests(24, 4, NOUNS)


CAN = DrawnRequest(text='', kind='', mood='', objects=(), wanted=(frozenset({('bowl', 'x'), (USER, 'y')}),))
CANNOT = DrawnRequest(text='', kind='outside', mood='', objects=())


@pytest.mark.parametrize(
    ('request_', 'end', 'deeds', 'expected'),
    [
        (CAN, End.DONE, [('bowl', 'x'), (USER, 'y')], Verdict.RIGHT),
        (CAN, End.REFUSED, [('bowl', 'x'), (USER, 'y')], Verdict.WRONG),
        (CAN, End.DONE, [('bowl', 'x')], Verdict.WRONG),
        (CAN, End.ASKED, [('bowl', 'x')], Verdict.WRONG),
        (CAN, End.DONE, [('bowl', 'x'), (USER, 'y'), (USER, 'z')], Verdict.WRONG),
        (CAN, End.DONE, [], Verdict.WRONG),
        (CAN, End.ASKED, [], Verdict.ASKED),
        (CAN, End.REFUSED, [], Verdict.REFUSED),
        (CAN, End.TOLD, [], Verdict.TALK),
        (CANNOT, End.REFUSED, [], Verdict.REFUSED),
        (CANNOT, End.ASKED, [], Verdict.ASKED),
        (CANNOT, End.DONE, [], Verdict.WRONG),
        (CANNOT, End.REFUSED, [(USER, 'x')], Verdict.WRONG),
    ],
)
def test_verdicts(request_, end, deeds, expected):
    assert verdict(request_, end, deeds) is expected


def test_the_order_counts_where_it_was_asked_for():
    first, second = ('bowl', 'x'), ('box 1', 'y')
    wanted = (frozenset({first, second}),)
    request = DrawnRequest(text='', kind='', mood='', objects=(), wanted=wanted, order=(first, second))
    assert verdict(request, End.DONE, [first, second]) is Verdict.RIGHT
    assert verdict(request, End.DONE, [second, first]) is Verdict.WRONG


def test_the_command_judges_drawn_requests(tmp_path):
    nouns, out = tmp_path / 'nouns.txt', tmp_path / 'requests.jsonl'
    nouns.write_text('\n'.join(NOUNS))
    options = ['requests', '--requests', '12', '--nouns', str(nouns), '--json', '--out', str(out)]
    result = CliRunner().invoke(eval_app, options)
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert figures['requests'] + figures['outside']['requests'] == 12
    assert sum(figures[str(item)] for item in Verdict) == pytest.approx(1, abs=0.001)
    assert len(out.read_text().splitlines()) == 12


def test_too_few_nouns_are_refused(tmp_path):
    (tmp_path / 'nouns.txt').write_text('pear\nred\nTurin\n')
    with pytest.raises(ConfigError, match='12 nouns are needed, got 1'):
        load_nouns(tmp_path / 'nouns.txt')


BDDL = """(define (problem P) (:domain robosuite)
  (:language put the jug on the tray)
    (:regions
      (jug_region (:target kitchen_table) (:ranges ((0 0 1 1))))
      (tray_region (:target kitchen_table) (:ranges ((-0.5 0.1 -0.3 0.1))))
      (cabinet_region (:target kitchen_table) (:ranges ((0.2 0.2 0.2 0.2))))
      (top_region
          (:target wooden_cabinet_1)
      )
    )
  (:objects
    jug_1 jug_2 - jug
    wooden_tray_1 - wooden_tray
  )
  (:init
    (On jug_1 wooden_cabinet_1_top_region)
    (On jug_2 kitchen_table_jug_region)
    (On wooden_tray_1 kitchen_table_tray_region)
    (On wooden_cabinet_1 kitchen_table_cabinet_region)
  )
  (:goal
    (And (On jug_2 wooden_tray_1_contain_region))
  )
)
"""
HURIC = """<huricExample id="1"><commands><command><sentence>bring me the mug</sentence><tokens>
<token id="1" surface="bring"/><token id="2" surface="me"/><token id="3" surface="the"/><token id="4" surface="mug"/>
</tokens><semantics><frames><frame name="Bringing"><frameElements>
<frameElement type="Theme"><token id="3"/><token id="4"/></frameElement>
<frameElement type="Beneficiary"><token id="2"/></frameElement>
</frameElements></frame></frames></semantics></command></commands>
<semanticMap><entities><entity type="Lamp"/></entities></semanticMap></huricExample>
"""
ALFRED = {
    'task_id': 't',
    'task_type': 'pick_and_place_simple',
    'pddl_params': {'object_target': 'CellPhone', 'parent_target': 'SideTable', 'object_sliced': False},
    'scene': {'object_poses': [{'objectName': 'CellPhone_1'}, {'objectName': 'KeyChain_2'}]},
    'turk_annotations': {'anns': [{'task_desc': 'Put the phone on the side table.'}]},
}


def test_libero_goals_become_requests(tmp_path):
    (tmp_path / 'one.bddl').write_text(BDDL)
    (tmp_path / 'two.bddl').write_text(BDDL.replace('put the jug', 'open the jug and put it'))
    put, beyond = load_instructions(InstructionSet.LIBERO, tmp_path)
    assert (put.text, put.objects) == ('Put the jug on the tray.', ('jug', 'jug'))
    assert put.wanted == (frozenset({('wooden tray', 'jug 2')}),)
    assert put.places == ('wooden tray', 'top drawer of the wooden cabinet')
    assert put.held == {'jug': 'top drawer of the wooden cabinet'}
    assert put.at_m['jug 2'] == pytest.approx((0.5, 0.5), abs=0.01)
    assert put.at_m['wooden tray'] == pytest.approx((-0.4, 0.1), abs=0.01)
    assert (beyond.kind, beyond.wanted) == ('outside', ())


def test_of_two_trays_each_is_a_place(tmp_path):
    two = BDDL.replace('wooden_tray_1 - wooden_tray', 'wooden_tray_1 wooden_tray_2 - wooden_tray')
    two = two.replace('(On wooden_cabinet_1', '(On wooden_tray_2 kitchen_table_jug_region)\n    (On wooden_cabinet_1')
    (tmp_path / 'one.bddl').write_text(two.replace('on the tray', 'on the left tray'))
    (put,) = load_instructions(InstructionSet.LIBERO, tmp_path)
    assert put.wanted == (frozenset({('wooden tray 1', 'jug 2')}),)
    assert {'wooden tray 1', 'wooden tray 2'} < set(put.places)
    assert put.kind == 'put, told by where it is'


def test_what_is_in_furniture_is_beyond_our_actions(tmp_path):
    (tmp_path / 'one.bddl').write_text(
        BDDL.replace('(On jug_2 wooden_tray_1_contain', '(On jug_1 wooden_tray_1_contain')
    )
    (beyond,) = load_instructions(InstructionSet.LIBERO, tmp_path)
    assert (beyond.kind, beyond.wanted) == ('outside', ())


def test_huric_commands_become_requests(tmp_path):
    (tmp_path / 'one.hrc').write_text(HURIC)
    (tmp_path / 'two.hrc').write_text(HURIC.replace('bring me', 'find me').replace('Bringing', 'Locating'))
    brought, beyond = load_instructions(InstructionSet.HURIC, tmp_path)
    assert (brought.text, brought.wanted) == ('bring me the mug', (frozenset({(USER, 'mug')}),))
    assert brought.objects == ('mug', 'lamp')
    assert (beyond.kind, beyond.wanted) == ('outside', ())


def test_alfred_goals_become_requests(tmp_path):
    (tmp_path / 'traj_data.json').write_text(json.dumps(ALFRED))
    (request,) = load_instructions(InstructionSet.ALFRED, tmp_path)
    assert request.objects == ('cell phone', 'key chain')
    assert request.wanted == (frozenset({('side table', 'cell phone')}),)
    assert request.kind == 'put'


@pytest.mark.parametrize(
    ('said', 'kind'),
    [
        ('Put the phone on the night stand.', 'put, named otherwise'),
        ('Put the phone on the left side table.', 'put, told by where it is'),
        ('Put the key on the stand by the bed.', 'put, named otherwise, told by where it is'),
    ],
)
def test_what_an_annotator_tells_by_other_nouns_or_by_its_place_is_counted_apart(tmp_path, said, kind):
    text = json.dumps(ALFRED).replace('Put the phone on the side table.', said)
    (tmp_path / 'traj_data.json').write_text(text)
    (request,) = load_instructions(InstructionSet.ALFRED, tmp_path)
    assert request.kind == kind


def test_the_halves_of_a_set_are_the_same_for_the_same_seed_and_share_nothing():
    said = [DrawnRequest(text=str(number), kind='', mood='', objects=()) for number in range(7)]
    first, second = (half_of(said, part, 5) for part in Half)
    assert first == half_of(said, Half.LOOKED_AT, 5) != half_of(said, Half.LOOKED_AT, 6)
    assert sorted((*first, *second), key=lambda item: item.text) == said
    assert (len(first), len(second)) == (4, 3)


def test_a_yes_to_the_robots_own_offer_is_counted_beside_the_verdict():
    request = DrawnRequest(
        text='Put the mug in the bowl under the sink.',
        kind='put',
        mood='imperative',
        objects=('mug', 'pear'),
        wanted=(frozenset({('bowl', 'mug')}),),
    )
    report = judge_requests([request], llm='embedded')
    assert [(item.verdict, item.right_after_yes) for item in report.judged] == [(Verdict.ASKED, True)]
    assert (report.as_json()['right'], report.as_json()['right_after_yes']) == (0.0, 1.0)


def test_a_part_needs_a_public_set():
    result = CliRunner().invoke(eval_app, ['requests', '--part', 'reported'])
    assert (result.exit_code, '--part is for a public set' in result.output) == (2, True)


@pytest.mark.parametrize(
    ('name', 'file'), [(InstructionSet.LIBERO, 'x.bddl'), (InstructionSet.ALFRED, 'traj_data.json')]
)
def test_a_file_in_another_format_is_named(tmp_path, name, file):
    with pytest.raises(ConfigError, match='there is no'):
        load_instructions(name, tmp_path)
    (tmp_path / file).write_text('{}')
    with pytest.raises(ConfigError, match=f'not in the format of {name}'):
        load_instructions(name, tmp_path)


ROWS = """Instruction,Index,Scenario,AccuracyAvg,Perspective
Pick up the yellow block.,1,Configuration_1_v1.png,0.9,neither
Pick up the block closest to you.,2,Configuration_2_v2.png,0.5,agent
"""


def test_instructions_for_blocks_become_requests_at_the_tables_of_the_pictures(tmp_path):
    (tmp_path / 'evaluationDataAvg.csv').write_text(ROWS)
    requests = load_instructions(InstructionSet.BLOCKS, tmp_path)
    yellow, _ = requests
    assert yellow.wanted == (frozenset({(POINTED, 'yellow block')}), frozenset({(USER, 'yellow block')}))
    assert len(yellow.objects) == len(yellow.at_m) == 15
    assert (yellow.picks, yellow.by_people, yellow.group) == (True, 0.9, 1)
    assert [half_of(requests, part, 1) for part in Half] == [[requests[0]], [requests[1]]]


def test_every_target_of_the_tables_is_told_apart_by_its_place(tmp_path):
    rows = [f'x,1,Configuration_{table}_v{version}.png,1.0,neither' for table in range(1, 15) for version in (1, 2)]
    (tmp_path / 'evaluationDataAvg.csv').write_text('\n'.join([ROWS.splitlines()[0], *rows]))
    for request in load_instructions(InstructionSet.BLOCKS, tmp_path):
        assert len(set(request.at_m.values())) == 15
        ((_, target),) = request.wanted[0]
        assert target in request.at_m


@pytest.mark.parametrize(
    ('text', 'right', 'after'),
    [
        ('Pick up the red block closest to me.', True, Verdict.RIGHT),
        ('Pick up the red block closest to you.', False, Verdict.WRONG),
        ('Pick up the closest red block.', False, Verdict.RIGHT),
        ('Pick up the red block.', False, Verdict.RIGHT),
        ('Sing a song.', False, Verdict.REFUSED),
    ],
)
def test_somebody_who_knows_what_is_meant_answers_the_robots_question(text, right, after):
    request = DrawnRequest(
        text=text,
        kind='block',
        mood='imperative',
        objects=('red block', 'red block', 'blue block'),
        wanted=(frozenset({(POINTED, 'red block')}),),
        at_m={'red block': (0.5, 0.0), 'red block 2': (0.2, 0.0), 'blue block': (0.3, 0.3)},
        picks=True,
    )
    (judged,) = judge_requests([request], llm='embedded').judged
    assert (judged.verdict is Verdict.RIGHT) is right
    assert judged.after_answers is after
