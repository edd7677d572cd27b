"""What is heard, found, forgotten and brought back."""

import itertools
import json
import time
from datetime import UTC, datetime, timedelta

import pytest

from lucca_core.errors import ConfigError, MemoryFault, ModelRetryable
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.retrieval.analysis import estimated_tokens
from lucca_memory.semantic.answering.explanation import explain
from lucca_memory.semantic.config import ForgettingConfig
from lucca_memory.semantic.graph.export import to_json, to_networkx, write_graph
from lucca_memory.semantic.language.extraction import make_extractor
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.store.sqlite_store import SqliteNetworkStore
from lucca_memory.semantic.values import Statement

CHATTER = [f'The {word} was quite {kind}.' for word in ('soup', 'film', 'walk', 'music') for kind in ('nice', 'long')]


def test_the_valid_value_stands_first_and_the_outdated_one_is_marked(talk):
    talk.say('Paula lives in Bonn.', 'Tom likes chess.', 'Paula lives in Kiel.')
    context = talk.ask('Where does Paula live?')
    assert context.valid[0].text == 'Paula lives in Kiel.'
    assert [item.text for item in context.history] == ['Paula lives in Bonn.']
    assert 'no longer true' in context.text.splitlines()[-1]
    assert 'Bonn' not in ' '.join(item.text for item in context.valid)


def test_what_used_to_be_is_answered_with_its_times(talk):
    talk.say('Paula lives in Bonn.')
    began = talk.now
    talk.say('Paula lives in Kiel.')
    history = talk.ask('Where did Paula live before?').history
    assert [(item.text, item.valid_from, item.valid_to) for item in history] == [
        ('Paula lives in Bonn.', began, talk.now)
    ]


def test_every_earlier_value_is_kept_in_order(talk):
    talk.say('Paula lives in Bonn.', 'Paula lives in Kiel.', 'Paula lives in Ulm.')
    context = talk.ask('Where did Paula use to live?')
    assert context.valid[0].text == 'Paula lives in Ulm.'
    assert {item.text for item in context.history} == {'Paula lives in Kiel.', 'Paula lives in Bonn.'}


def test_what_was_said_earlier_and_heard_later_is_history_from_the_start(talk):
    talk.say('Paula lives in Kiel.')
    earlier = Statement(
        text='Paula lives in Bonn.', speaker='Anna', time=talk.now - timedelta(days=9), source='said:old'
    )
    talk.memory.hear([earlier])
    assert [item.text for item in talk.ask('Where does Paula live?').valid] == ['Paula lives in Kiel.']


def test_an_old_value_that_returns_holds_again(talk):
    talk.say('Paula lives in Bonn.', 'Paula lives in Kiel.', 'Paula lives in Bonn.')
    assert talk.ask('Where does Paula live?').valid[0].text == 'Paula lives in Bonn.'


def test_a_source_is_heard_once(talk):
    talk.say('Paula lives in Bonn.')
    before = talk.memory.stats(talk.now)
    talk.memory.hear([talk.statement('Paula lives in Bonn.'), talk.statement('Something else.')])
    assert talk.memory.stats(talk.now) == before


def test_what_is_told_again_is_one_node_with_every_source(talk):
    talk.say('The kiln is in Ulm.', 'Ada chairs the board.', 'The kiln is in Ulm.')
    item = talk.ask('Where is the kiln?').items[0]
    assert talk.living() == ['Ada chairs the board.', 'The kiln is in Ulm.']
    assert item.sources == ('said:1', 'said:3')


def test_a_failing_embedder_leaves_nothing_half_heard():
    class Failing(HashedEmbedder):
        def embed(self, texts):
            raise ModelRetryable('away')

    memory = ConceptMemory(Failing())
    statement = Statement(
        text='Paula lives in Bonn.', speaker='Anna', time=datetime(2026, 1, 1, tzinfo=UTC), source='s'
    )
    with pytest.raises(ModelRetryable):
        memory.hear([statement])
    assert memory.stats().nodes == 0
    assert memory.stats().heard == 0


def test_a_store_that_cannot_be_written_leaves_memory_as_it_was(talk):
    talk.say('Paula lives in Bonn.')

    def refuse(change):
        raise MemoryFault('disk full')

    talk.memory.store.commit = refuse
    with pytest.raises(MemoryFault, match='disk full'):
        talk.memory.hear([talk.statement('Tom lives in Ulm.', source='other')])
    assert talk.living() == ['Paula lives in Bonn.']


def test_nobody_else_sees_what_is_somebodys_own(talk):
    talk.say('The safe opens with 4711.', owner='person-1')
    talk.say('The safe is grey.')
    assert talk.texts('What opens the safe?', owner='person-2') == ['The safe is grey.']
    assert talk.texts('What opens the safe?') == ['The safe is grey.']
    assert 'The safe opens with 4711.' in talk.texts('What opens the safe?', owner='person-1')


def test_somebody_elses_statement_closes_nothing_of_mine(talk):
    talk.say('Paula lives in Bonn.', owner='person-1')
    talk.say('Paula lives in Kiel.', owner='person-2')
    assert talk.ask('Where does Paula live?', owner='person-1').valid[0].text == 'Paula lives in Bonn.'


@pytest.mark.parametrize('budget', [0, 1, 40, 100, 200, 10_000])
@pytest.mark.parametrize('compress', [True, False])
def test_after_a_pass_the_bytes_are_within_the_budget(budget, compress):
    memory = ConceptMemory(HashedEmbedder(), ForgettingConfig(compress=compress))
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    for number, text in enumerate(CHATTER):
        memory.hear([Statement(text=text, speaker='Anna', time=begin + timedelta(hours=number), source=f's{number}')])
    done = memory.forget(begin + timedelta(days=1), budget)
    assert done.bytes_after == memory.stats().bytes == sum(len(text.encode()) for text in memory.texts())
    assert done.bytes_after <= budget
    assert done.bytes_before == sum(len(text.encode()) for text in CHATTER)
    assert compress >= bool(done.compressed)


@pytest.mark.parametrize('budget', [30, 100, 150, 200, 250])
@pytest.mark.parametrize('asked', [0, 20])
def test_the_statements_of_a_turn_are_kept_or_forgotten_together(budget, asked):
    memory = ConceptMemory(HashedEmbedder())
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    turns = ['Mia has a boat. It rained.', 'The kiln is in Ulm. Well then. Olga paid 90 euros.', 'I like tea. Bo left.']
    for number, text in enumerate(turns):
        # What is told again belongs to the turn that told it first.
        memory.hear([Statement(text=text, speaker='Anna', time=begin, source=f's{number}')])
    for _ in range(asked):
        memory.context('Where is the kiln?', begin + timedelta(hours=1))
    memory.forget(begin + timedelta(days=1), budget)
    left = ' '.join(memory.texts())
    for text in turns:
        parts = [part.strip(' .') for part in text.split('. ')]
        assert len({part in left for part in parts}) == 1, (parts, left)


def test_a_pass_within_the_budget_changes_nothing(talk):
    talk.say(*CHATTER)
    before = talk.memory.stats(talk.now)
    done = talk.memory.forget(talk.now, 10_000)
    assert not done.pruned
    assert not done.compressed
    assert talk.memory.stats(talk.now) == before


def test_a_second_pass_at_the_same_time_changes_nothing(talk):
    talk.say(*CHATTER)
    talk.memory.forget(talk.now, 120)
    living = talk.living()
    assert not talk.memory.forget(talk.now, 120).pruned
    assert talk.living() == living


def test_what_is_pinned_is_never_forgotten(talk):
    talk.say('The first aid kit is under the sink.', pinned=True)
    talk.say(*CHATTER)
    talk.hours += 24 * 365
    talk.memory.forget(talk.now, 0)
    assert talk.living() == ['The first aid kit is under the sink.']
    assert talk.memory.forget_nodes([talk.ask('Where is the first aid kit?').items[0].node_id], talk.now) == 0


def test_without_a_budget_theta_decides(talk):
    talk.say(*CHATTER)
    talk.hours += 24 * 60
    talk.memory.config = ForgettingConfig(theta=1.0)
    talk.memory.forget(talk.now)
    assert talk.living() == []
    assert {item.fate for item in talk.memory.forgotten()} == {'pruned'}


def test_what_answers_is_kept_and_what_nobody_asks_for_goes(talk):
    talk.say('The kiln is in Ulm.', *CHATTER)
    for _ in range(3):
        talk.ask('Where is the kiln?')
    talk.memory.forget(talk.now, 40)
    assert any('Ulm' in text for text in talk.living())


def test_a_bad_verdict_takes_a_use_away_and_a_good_one_adds_it(talk):
    talk.say('The kiln is in Ulm.')
    node = talk.ask('Where is the kiln?').items[0].node_id

    def used():
        network = talk.memory.network
        return float(network.column('used')[network.row_of(node)])

    before = used()
    talk.memory.feedback([node], good=True)
    assert used() == before + 1
    talk.memory.feedback([node], good=False)
    assert used() == before


def test_general_nodes_keep_provenance_and_still_answer(talk):
    talk.memory.config = ForgettingConfig(telling=0.0, compress=True)
    talk.say('The kiln of the workshop is in Ulm.', 'The glaze of the workshop is in Trier.', 'The oven was hot.')
    done = talk.memory.forget(talk.now, 74)
    assert {item.node_id for item in done.compressed} <= {item.node_id for item in talk.memory.forgotten()}
    item = talk.ask('Where is the kiln of the workshop?').items[0]
    assert item.kind == 'general'
    assert 'Ulm' in item.text
    assert set(item.sources) >= {'said:1'}


def test_an_update_reaches_into_a_general_node(talk):
    talk.say('The kiln of the workshop is in Ulm.', 'The glaze of the workshop is in Trier.', 'The oven was hot.')
    talk.memory.forget(talk.now, 74)
    talk.say('The kiln of the workshop is in Jena.')
    context = talk.ask('Where is the kiln of the workshop?')
    assert 'Jena' in context.valid[0].text
    assert 'Ulm' not in ' '.join(item.text for item in context.valid)
    assert any('Trier' in text for text in talk.living())


def test_what_was_forgotten_is_listed_with_its_reason_and_comes_back(talk):
    talk.say('The kiln is in Ulm.', *CHATTER)
    before = talk.living()
    done = talk.memory.forget(talk.now, 0)
    away = talk.memory.forgotten()
    assert {item.node_id for item in done.pruned} == {item.node_id for item in away}
    assert all('importance' in item.reason for item in away)
    assert talk.memory.restore([item.node_id for item in away], talk.now) == len(away)
    assert talk.living() == before
    assert talk.texts('Where is the kiln?')[0] == 'The kiln is in Ulm.'


def test_what_was_restored_is_tied_to_concepts_that_came_anew_meanwhile(talk):
    talk.say('The kiln is in Ulm.')
    talk.memory.forget(talk.now, 0)
    away = talk.memory.forgotten()[0].node_id
    talk.say('The kiln was loud.')
    talk.memory.restore([away], talk.now)
    assert set(talk.texts('kiln')) == {'The kiln is in Ulm.', 'The kiln was loud.'}


def test_after_the_time_for_it_the_forgotten_is_gone_for_good(talk):
    talk.say('The kiln is in Ulm.')
    talk.memory.forget(talk.now, 0)
    away = talk.memory.forgotten()[0].node_id
    talk.hours += int(24 * talk.memory.config.kept_forgotten_d) + 1
    talk.memory.forget(talk.now, 0)
    assert not talk.memory.forgotten()
    assert talk.memory.restore([away], talk.now) == 0


@pytest.mark.parametrize('budget', [0, 5, 30, 100])
def test_a_context_is_within_its_tokens(talk, budget):
    talk.say('Paula lives in Bonn.', 'Paula lives in Kiel.', *CHATTER)
    context = talk.ask('Where did Paula live before?', token_budget=budget)
    assert context.tokens <= budget
    assert sum(estimated_tokens(line) for line in context.text.splitlines()) <= budget


def test_an_empty_memory_answers_nothing(talk):
    assert talk.ask('Where does Paula live?').items == ()
    assert talk.memory.stats().nodes == 0
    assert talk.memory.forget(talk.now, 0).pruned == ()


def test_why_a_node_is_kept_or_was_forgotten(talk):
    talk.say('The kiln is in Ulm.')
    node = talk.ask('Where is the kiln?').items[0].node_id
    found = explain(talk.memory, node, talk.now)
    assert set(found['importance']) == {'R', 'F', 'C', 'I'}
    assert found['forgotten'] == ''
    assert {text for _, _, _, text in found['ties']} == {'kiln', 'ulm'}
    talk.memory.forget(talk.now, 0)
    gone = explain(talk.memory, node, talk.now)
    assert gone['importance'] is None
    assert 'importance' in gone['forgotten']
    with pytest.raises(MemoryFault, match='no node 99'):
        explain(talk.memory, 99, talk.now)


def test_exports_have_every_living_node_and_edge(talk, tmp_path):
    talk.say('Paula lives in Bonn.', 'Paula lives in Kiel.')
    stats = talk.memory.stats(talk.now)
    document = json.loads(to_json(talk.memory, talk.now))
    graph = to_networkx(talk.memory, talk.now)
    assert (len(document['nodes']), len(document['edges'])) == (stats.nodes, stats.edges)
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (stats.nodes, stats.edges)
    write_graph(talk.memory, tmp_path / 'network.graphml', talk.now)
    import networkx

    assert networkx.read_graphml(tmp_path / 'network.graphml').number_of_nodes() == stats.nodes
    with pytest.raises(ConfigError, match='graphml or'):
        write_graph(talk.memory, tmp_path / 'network.txt', talk.now)


@pytest.mark.parametrize('spec', ['words', 'yake'])
def test_extractors_find_names_numbers_and_content_words(spec):
    pytest.importorskip(spec) if spec == 'yake' else None
    (mentions,) = make_extractor(spec).extract(['My sister Paula has 3 cats, really nice ones.'])
    weights = {mention.label: mention.weight for mention in mentions}
    assert weights['paula'] == weights['3'] == 1.0
    assert weights['sister'] > weights['nice']
    assert 'my' not in weights


def test_a_long_turn_of_numbers_is_read_in_time():
    begin = time.process_time()
    make_extractor('words').extract(['1 2 3 ' * 3_000])
    # A fraction of that on a free core; looking back to the beginning at each word took minutes.
    assert time.process_time() - begin < 10


def test_an_unknown_extractor_is_refused():
    with pytest.raises(ConfigError, match='not an extractor'):
        make_extractor('magic')


def test_a_statement_needs_a_zone_and_a_source():
    with pytest.raises(ValueError, match='zone'):
        Statement(text='x', speaker='', time=datetime(2026, 1, 1), source='s')
    with pytest.raises(ValueError, match='source'):
        Statement(text='x', speaker='', time=datetime(2026, 1, 1, tzinfo=UTC), source='')


def test_a_loaded_network_is_the_one_that_was_left(tmp_path):
    file, begin = tmp_path / 'network.sqlite', datetime(2026, 1, 1, tzinfo=UTC)
    first = ConceptMemory(HashedEmbedder(), store=SqliteNetworkStore(file))
    for number, text in enumerate(['Paula lives in Bonn.', 'Paula lives in Kiel.', *CHATTER]):
        first.hear([Statement(text=text, speaker='Anna', time=begin + timedelta(hours=number), source=f's{number}')])
    first.forget(begin + timedelta(days=2), 200)
    before = first.stats(begin)
    first.close()
    second = ConceptMemory(HashedEmbedder(), store=SqliteNetworkStore(file))
    assert second.stats(begin) == before
    second.close()


def test_what_a_correction_closed_holds_again_once_the_correction_is_taken_back(talk):
    talk.say('Paula lives in Bonn.', 'Paula lives in Kiel.', 'Paula lives in Ulm.')
    [ulm] = talk.ask('Where does Paula live?').valid
    talk.memory.forget_nodes([ulm.node_id], talk.now)
    context = talk.ask('Where does Paula live?')
    assert [item.text for item in context.valid] == ['Paula lives in Kiel.']
    assert [item.text for item in context.history] == ['Paula lives in Bonn.']
    talk.memory.restore([ulm.node_id], talk.now)
    assert [item.text for item in talk.ask('Where does Paula live?').valid] == ['Paula lives in Ulm.']
    held = {item.text for item in talk.ask('Where did Paula live before?').history}
    assert held == {'Paula lives in Bonn.', 'Paula lives in Kiel.'}


def test_taking_history_back_opens_nothing(talk):
    talk.say('Paula lives in Bonn.', 'Paula lives in Kiel.', 'Paula lives in Ulm.')
    kiel = next(item for item in talk.ask('Where did Paula live before?').history if 'Kiel' in item.text)
    talk.memory.forget_nodes([kiel.node_id], talk.now)
    assert [item.text for item in talk.ask('Where does Paula live?').valid] == ['Paula lives in Ulm.']


@pytest.mark.parametrize('towns', [*itertools.permutations(('Bonn', 'Kiel', 'Ulm'))])
@pytest.mark.parametrize('at_once', [True, False])
def test_of_what_took_each_others_place_the_newest_that_is_left_holds_in_whatever_order_they_go(talk, towns, at_once):
    """Removed one by one or together and restored in the same order, only the newest living version is valid."""
    talk.say('Paula lives in Bonn.', 'Paula lives in Kiel.', 'Paula lives in Ulm.')
    places = {
        node.text.split()[-1][:-1]: key
        for key, node in talk.memory.store.nodes(range(1000)).items()
        if node.text.startswith('Paula ')
    }
    there = {'Bonn', 'Kiel', 'Ulm'}

    def holding():
        return [item.text for item in talk.ask('Where does Paula live?').valid]

    for taken in [towns[:2]] if at_once else [towns[:1], towns[1:2]]:
        talk.memory.forget_nodes([places[town] for town in taken], talk.now)
        there -= set(taken)
        assert holding() == [f'Paula lives in {max(there)}.']
    for back in [towns[:2]] if at_once else [towns[:1], towns[1:2]]:
        talk.memory.restore([places[town] for town in back], talk.now)
        there |= set(back)
        assert holding() == [f'Paula lives in {max(there)}.']
    assert talk.memory.stats().closed == 2
