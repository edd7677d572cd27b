"""`lucca up --dry-run` reaches the action node, and only it."""

from lucca_cli.stack import StackOptions, node_setups


def test_a_dry_run_and_a_robot_reach_the_nodes_that_need_them() -> None:
    setups = {setup.name: setup.parameters for setup in node_setups(StackOptions(dry_run=True, robot='two_six_dof'))}
    assert {name for name, given in setups.items() if given.get('dry_run')} == {'action'}
    assert {name for name, given in setups.items() if given.get('robot') == 'two_six_dof'} == {
        'perception',
        'action',
        'simulator',
    }
    assert not [setup.name for setup in node_setups(StackOptions()) if 'dry_run' in setup.parameters]
