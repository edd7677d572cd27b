"""`lucca eval tidy` on scenarios written here."""

import json

import pytest
import yaml
from typer.testing import CliRunner

from lucca_core.errors import ConfigError
from lucca_lab.commands.groups import eval_app
from lucca_lab.understanding.outcomes import End
from lucca_lab.understanding.tidy import TidyReport, TidyRun, TidySource, run_scenario
from lucca_lab.understanding.tidy_scenarios import (
    SHIPPED_WORDING,
    TidyScenario,
    load_scenarios,
    load_wordings,
    tidy_actions,
)

ENTRY = {
    'annotator_notes': 'Put the fruits in the crate and the cups on the tray.',
    'receptacles': ['crate', 'tray'],
    'seen_objects': ['apple', 'coffee cup'],
    'seen_placements': [['apple', 'crate'], ['coffee cup', 'tray']],
    'unseen_objects': ['pear', 'banana', 'cup'],
    'unseen_placements': [['pear', 'crate'], ['banana', 'crate'], ['cup', 'tray']],
    'room': 'kitchen',
    'tags': [],
}


@pytest.fixture
def data(tmp_path):
    file = tmp_path / 'scenarios.yml'
    file.write_text(yaml.safe_dump([ENTRY, ENTRY | {'annotator_notes': 'Put the fruits in the crate.'}]))
    return file


def scored(placements, *, asked=(), end=End.DONE):
    scenario = TidyScenario(
        index=0, notes='', receptacles=('a', 'b'), seen={}, unseen={'x': 'a', 'y': 'a', 'z': 'b', 'w': 'b'}
    )
    run = TidyRun(scenario=scenario, placements=placements, asked=asked, end=end, said='')
    return TidyReport([run]).as_json()


def test_each_object_counts_once_and_what_is_called_done_with_some_left_is_silent():
    figures = scored({'x': 'a', 'y': 'b', 'z': None, 'w': None}, asked=('z',))
    assert (figures['placed'], figures['wrong'], figures['asked'], figures['not_placed']) == (0.25, 0.25, 0.25, 0.25)
    assert (figures['whole'], figures['silent'], figures['objects'], figures['scenarios']) == (0, 1, 4, 1)
    assert scored({'x': None, 'y': None, 'z': None, 'w': None}, end=End.REFUSED)['silent'] == 0
    assert scored({'x': 'a', 'y': 'a', 'z': 'b', 'w': 'b'})['whole'] == 1


@pytest.mark.parametrize('source', [TidySource.NOTES, TidySource.TASK])
def test_notes_are_done_by_the_whole_stack(data, source):
    run = run_scenario(load_scenarios(data)[0], source, SHIPPED_WORDING, llm='embedded', embedding='none')
    assert run.placements == {'pear': 'crate', 'banana': 'crate', 'cup': 'tray'}
    assert run.end is End.DONE


def test_the_command_writes_figures_and_a_line_for_each_scenario(data, tmp_path):
    out = tmp_path / 'placements.jsonl'
    options = ['tidy', '--data', str(data), '--json', '--embedding', 'none', '--placements', str(out)]
    result = CliRunner().invoke(eval_app, options)
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert set(figures) == {'placed', 'whole', 'wrong', 'asked', 'not_placed', 'silent', 'objects', 'scenarios'}
    assert (figures['objects'], figures['scenarios']) == (6, 2)
    first, second = map(json.loads, out.read_text().splitlines())
    assert first == {
        'index': 0,
        'placements': {'pear': 'crate', 'banana': 'crate', 'cup': 'tray'},
        'asked': [],
        'end': 'done',
    }
    assert second['placements']['cup'] is None


def test_only_a_part_of_the_scenarios_can_be_run(data):
    options = ['tidy', '--data', str(data), '--json', '--embedding', 'none', '--part', 'second-half']
    assert json.loads(CliRunner().invoke(eval_app, options).stdout)['scenarios'] == 1


def test_examples_are_told_before_and_nothing_else_is(data):
    scenario = load_scenarios(data)[0]
    run = run_scenario(scenario, TidySource.EXAMPLES, SHIPPED_WORDING, llm='embedded', embedding='none')
    assert set(run.placements) == set(scenario.unseen)


@pytest.mark.parametrize('name', load_wordings())
def test_each_wording_has_an_action_for_each_receptacle(name):
    actions = tidy_actions(load_wordings()[name], ['storage box 1', 'top drawer'])
    places = [spec.effect.container for spec in actions.values() if spec.effect.container]
    assert places == ['storage box 1', 'top drawer']
    assert all(call == spec.name and call.isidentifier() for call, spec in actions.items())
    assert not any('{' in f'{spec.name} {spec.description}' for spec in actions.values())


def test_the_shipped_wording_is_that_of_the_configuration():
    assert load_wordings()['as shipped'] == SHIPPED_WORDING


@pytest.mark.parametrize(
    ('text', 'reason'),
    [('- {notes: x}', "format of TidyBot's scenarios"), ('a: [', "format of TidyBot's scenarios")],
)
def test_a_file_in_another_format_is_refused_by_name(tmp_path, text, reason):
    file = tmp_path / 'wrong.yml'
    file.write_text(text)
    with pytest.raises(ConfigError, match=reason) as error:
        load_scenarios(file)
    assert str(file) in str(error.value)


def test_wordings_without_a_receptacle_are_refused(tmp_path):
    file = tmp_path / 'wordings.yaml'
    file.write_text('actions: {wave: Wave a hand.}')
    with pytest.raises(ConfigError, match='no action of the wording'):
        load_wordings(file)


@pytest.mark.parametrize(
    ('notes', 'unseen'),
    [
        (
            'Put cables in the crate, light bulbs on the tray, and chargers in the bin.',
            {'HDMI cable': 'crate', 'LED bulb': 'tray', 'phone charger': 'bin'},
        ),
        (
            "Put children's books in the crate, novels in the bin, and women's shoes on the tray.",
            {'picture book': 'crate', 'mystery novel': 'bin', 'high heels': 'tray'},
        ),
        (
            'Put condiments in the crate and leftovers on the tray.',
            {'sriracha': 'crate', 'leftover lasagna': 'tray'},
        ),
        (
            'Put light-colored clothes in the crate and dark-colored clothes in the bin.',
            {'ivory blouse': 'crate', 'light blue shirt': 'crate', 'maroon skirt': 'bin', 'navy sweater': 'bin'},
        ),
    ],
)
def test_kinds_that_sound_like_orders_owners_or_the_rest_are_kinds(notes, unseen):
    scenario = TidyScenario(index=0, notes=notes, receptacles=('crate', 'tray', 'bin'), seen={}, unseen=unseen)
    run = run_scenario(scenario, TidySource.NOTES, SHIPPED_WORDING, llm='embedded', embedding='auto')
    assert run.placements == unseen
