"""RoboLab's tasks become requests with what their conditions want."""

import json

import pytest

from lucca_core.errors import ConfigError
from lucca_lab.understanding.drawn_request import USER
from lucca_lab.understanding.instruction_sets import InstructionSet, load_instructions

CODE = """
class Ends:
    time_out = DoneTerm(func=mdp.time_out, time_out=True)
    success = DoneTerm(func={function}, params={params})
"""
SCENE = [
    {'name': name, 'rigid_body': name != 'GroundPlane', 'static_body': False}
    for name in ('table', 'GroundPlane', 'grey_bin', 'lime01', 'lime01_01', 'red_blocks', 'bowl_large')
]


@pytest.fixture
def robolab(tmp_path):
    def write(function, params):
        tasks, scenes = tmp_path / 'robolab' / 'tasks', tmp_path / 'assets' / 'scenes' / '_metadata'
        for folder in (tasks / '_metadata', tasks / 'benchmark', scenes):
            folder.mkdir(parents=True)
        (tasks / 'benchmark' / 'one.py').write_text(CODE.format(function=function, params=params))
        said = {
            'default': 'Put the limes in the bin',
            'vague': 'Put them away',
            'specific': 'Put both limes in the bin',
        }
        task = {'scene': 's', 'filename': 'benchmark/one.py', 'terminations': 'Ends', 'instruction_variants': said}
        (tasks / '_metadata' / 'task_metadata.json').write_text(json.dumps([task, task]))
        (scenes / 'scene_metadata.json').write_text(json.dumps({'s': SCENE}))
        return tmp_path

    return write


def test_what_is_to_be_in_a_container_is_wanted_there(robolab):
    folder = robolab('object_in_container', {'object': ['lime01', 'lime01_01'], 'container': 'grey_bin'})
    request, again = load_instructions(InstructionSet.ROBOLAB, folder)
    assert request == again
    assert (request.text, request.kind) == ('Put the limes in the bin', 'put')
    assert request.objects == ('lime', 'lime', 'red block')
    assert request.places == ('grey bin', 'bowl')
    assert request.wanted == (frozenset({('grey bin', 'lime'), ('grey bin', 'lime 2')}),)


@pytest.mark.parametrize(
    ('function', 'params', 'wanted', 'order'),
    [
        (
            'object_in_container',
            {'object': ['lime01', 'red_blocks'], 'container': 'grey_bin', 'logical': 'any'},
            [{('grey bin', 'lime')}, {('grey bin', 'red block')}],
            (),
        ),
        (
            'objects_placed_in_container_in_order',
            {'objects': ['red_blocks', 'lime01'], 'container': 'grey_bin'},
            [{('grey bin', 'red block'), ('grey bin', 'lime')}],
            (('grey bin', 'red block'), ('grey bin', 'lime')),
        ),
        ('object_picked_up', {'object': 'lime01', 'surface': 'table'}, [{(USER, 'lime')}], ()),
        ('stacked', {'objects': ['lime01', 'red_blocks']}, [], ()),
        ('object_in_container', {'object': 'lime01', 'container': 'unseen'}, [{('unseen', 'lime')}], ()),
    ],
)
def test_conditions_tell_what_is_wanted(robolab, function, params, wanted, order):
    request, _ = load_instructions(InstructionSet.ROBOLAB_VAGUE, robolab(function, params))
    assert request.text == 'Put them away'
    assert [set(deeds) for deeds in request.wanted] == wanted
    assert request.order == order


def test_its_code_is_never_run(robolab):
    folder = robolab('object_in_container', '{"object": __import__("os").abort(), "container": "grey_bin"}')
    request, _ = load_instructions(InstructionSet.ROBOLAB_SPECIFIC, folder)
    assert (request.kind, request.wanted) == ('outside', ())


def test_a_copy_without_its_scenes_is_named(robolab):
    folder = robolab('stacked', {})
    (folder / 'assets' / 'scenes' / '_metadata' / 'scene_metadata.json').unlink()
    with pytest.raises(ConfigError, match='not in the format of robolab'):
        load_instructions(InstructionSet.ROBOLAB, folder)
