from coordinator_node.people.interface import Partner
from lucca_core.protocol.people import Met


def test_who_is_not_known_has_no_name_whatever_the_answer_says():
    assert Partner.of(Met(person='Ana', known=False)) == Partner()
    assert Partner.of(Met(person='Ana', known=True)).name == 'Ana'
