"""Language models behind one protocol. Plain Python; imports lucca_core only."""
