"""Language models behind one protocol, in plain Python.

Of the other packages it imports only lucca_core, lucca_language and the embeddings of lucca_memory.
"""
