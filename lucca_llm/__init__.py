"""Language models behind one protocol. Plain Python; imports lucca_core, lucca_language and the
embeddings of lucca_memory only."""
