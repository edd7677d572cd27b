"""The panel of the network: why a node is kept, and which one goes first."""

from lucca_view.events import ForgottenMemory, MemoryEdge, MemoryNode, MemorySeen
from lucca_view.memory_panel import memory_panel


def node(name, importance, **values):
    given = {'kind': 'statement', 'text': name, 'speaker': 'Anna', 'valid_to': '', 'pinned': False}
    terms = {'recency': 0.9, 'frequency': 0.5, 'centrality': 0.1}
    return MemoryNode(node=name, importance=importance, **(given | terms | values))


def states(panel):
    return {one['node']: one['states'] for one in panel['nodes']}


def test_the_least_important_that_may_go_fades_and_never_a_pinned_one():
    shown = [node(f'node:{number}', 0.1 * number) for number in range(1, 11)]
    panel = memory_panel(MemorySeen(nodes=(node('node:0', 0.0, pinned=True), *shown)))
    assert states(panel)['node:0'] == ['pinned']
    assert [name for name, found in states(panel).items() if 'fading' in found] == ['node:1', 'node:2']
    why = {one['node']: one['why'] for one in panel['nodes']}
    assert 'never forgotten' in why['node:0']
    assert 'the first that would be forgotten' in why['node:1']
    assert '9 of 10 would be forgotten before it' in why['node:10']


def test_a_concept_goes_with_its_statements_and_is_no_candidate():
    panel = memory_panel(MemorySeen(nodes=(node('node:1', 0.5), node('node:2', 0.1, kind='concept'))))
    assert states(panel) == {'node:1': [], 'node:2': ['concept']}


def test_what_is_outdated_compressed_and_forgotten_is_told_with_its_reason():
    old = node('node:1', 0.5, valid_to='2026-01-02T10:00:59+00:00')
    gone = ForgottenMemory(
        node='node:3', text='x', fate='compressed', reason='below theta', time='2026-01-03', into='node:2'
    )
    edge = MemoryEdge('node:2', 'node:1', 'supersedes')
    panel = memory_panel(MemorySeen(nodes=(old, node('node:2', 0.4, kind='general')), edges=(edge,), forgotten=(gone,)))
    assert states(panel)['node:1'] == ['outdated']
    assert 'outdated since 2026-01-02 10:00' in panel['nodes'][0]['why']
    assert 'compressed' in states(panel)['node:2']
    assert panel['edges'] == [{'a': 'node:2', 'b': 'node:1', 'kind': 'supersedes'}]
    assert panel['forgotten'][0]['why'] == 'compressed into node:2 at 2026-01-03: below theta'
