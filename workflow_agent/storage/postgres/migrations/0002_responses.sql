-- What the model said in a step, word for word: whoever goes on with the run need not ask again.
ALTER TABLE run_step ADD COLUMN response bytea;
