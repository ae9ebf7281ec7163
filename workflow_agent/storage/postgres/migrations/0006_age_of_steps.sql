-- Steps of an interrupted run stay for whoever sends its message again, for as long as the sweep lets them.
ALTER TABLE run_step ADD COLUMN at timestamptz NOT NULL DEFAULT now();
