"""Each ablation of our memory switches one term of importance off."""

from lucca_lab.forgetting.ablations import Ablations, terms_without
from lucca_memory.semantic.config import ForgettingConfig
from lucca_memory.semantic.forgetting.importance import MICROSECONDS_PER_H, terms_of_importance
from lucca_memory.semantic.graph.change import CONCEPT, STATEMENT, Edge, EdgeKind, Node
from lucca_memory.semantic.graph.network import Network

NOW = 10**15
OLD = NOW - 500 * MICROSECONDS_PER_H


def test_each_ablation_switches_its_term_off():
    network = Network(0)
    network.add_nodes(
        [
            Node(node_id=1, kind=CONCEPT, text='text 1', born=NOW, last=NOW, key=1),
            Node(node_id=2, kind=STATEMENT, text='text 2', born=OLD, last=OLD, used=3),
            Node(node_id=3, kind=STATEMENT, text='text 3', born=NOW, last=NOW),
            Node(node_id=4, kind=STATEMENT, text='text 4', born=NOW, last=NOW),
        ]
    )
    network.add_edges([Edge(a=at, b=1, kind=EdgeKind.MENTIONS, weight=1.0) for at in (2, 3)])
    config = ForgettingConfig()
    whole = terms_of_importance(network, NOW, config)
    assert whole.recency[1] < 1
    assert terms_without(Ablations(no_decay=True))(network, NOW, config).recency[1] == 1
    assert whole.frequency[1] > 0
    assert terms_without(Ablations(no_frequency=True))(network, NOW, config).frequency[1] == 0
    assert whole.centrality[1] > 0
    assert terms_without(Ablations(no_centrality=True))(network, NOW, config).centrality[1] == 0
