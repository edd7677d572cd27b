"""English as the network reads it: words, sentences, questions, and the concepts in them."""
