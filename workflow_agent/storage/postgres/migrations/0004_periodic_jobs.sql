-- Work that comes round for the whole cluster: when it is due, and who does it until when.
CREATE TABLE periodic_job (
    name text COLLATE "C" PRIMARY KEY,
    due_at timestamptz NOT NULL,
    taken_until timestamptz,
    token text NOT NULL
);
