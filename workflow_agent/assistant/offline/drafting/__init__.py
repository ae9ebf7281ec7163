"""From a description to the graph it tells: words, clauses, sentences, flow."""
