"""Language models behind one protocol. Plain Python; imports lucca_core and lucca_language only."""
