-- Tenant first in every key. JSON texts are bytea: lone surrogates, NUL and integers of any length survive.

CREATE TABLE conversation (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    -- Tells a conversation from another that had its id before.
    life bigint GENERATED ALWAYS AS IDENTITY,
    version bigint NOT NULL,
    -- The latest saves by their tokens: a save that is sent again is recognised.
    saves text[] NOT NULL,
    -- All but the lists, which are in conversation_item.
    head bytea NOT NULL,
    title bytea NOT NULL,
    title_folded text NOT NULL,
    phase text NOT NULL,
    turns int NOT NULL,
    bound_workflow_id text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- The run under way, if there is one: only this attempt may write, and its host is to be alive.
    run_id text,
    fence int,
    owner text,
    -- Up to which version and which event its messages are in the index.
    indexed_version bigint NOT NULL DEFAULT 0,
    indexed_event int NOT NULL DEFAULT -1,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX conversation_newest ON conversation (tenant, updated_at DESC, id DESC);
CREATE INDEX conversation_owner ON conversation (owner) WHERE owner IS NOT NULL;
CREATE INDEX conversation_to_index ON conversation (tenant) WHERE indexed_version < version;

CREATE TABLE conversation_item (
    tenant text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    list smallint NOT NULL,
    ord int NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (tenant, conversation_id, list, ord)
) PARTITION BY HASH (tenant, conversation_id);
DO $$ BEGIN
    FOR part IN 0..63 LOOP
        EXECUTE format('CREATE TABLE conversation_item_%s PARTITION OF conversation_item
                        FOR VALUES WITH (MODULUS 64, REMAINDER %s)', part, part);
    END LOOP;
END $$;

CREATE TABLE conversation_part (
    tenant text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (tenant, conversation_id, name)
);

CREATE TABLE conversation_blob (
    tenant text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    digest bytea NOT NULL,
    body bytea NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant, conversation_id, digest)
);

CREATE TABLE lock (
    tenant text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    token text NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (tenant, name)
);

CREATE TABLE record (
    tenant text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (tenant, kind, id)
);

CREATE TABLE run_step (
    tenant text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    run_id text COLLATE "C" NOT NULL,
    fence int NOT NULL,
    number int NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (tenant, conversation_id, run_id, fence, number)
);

CREATE TABLE message (
    tenant text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    number int NOT NULL,
    turn int NOT NULL,
    event_id text NOT NULL,
    type text NOT NULL,
    author text NOT NULL,
    at text COLLATE "C" NOT NULL,
    run_id text,
    content text NOT NULL,
    folded text NOT NULL,
    PRIMARY KEY (tenant, conversation_id, number)
);
CREATE INDEX message_newest ON message (tenant, at DESC, conversation_id DESC, number DESC);
-- Any part of a word is found without reading all messages; a server without the extension reads them.
DO $$ BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX message_words ON message USING gin (folded gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported THEN
    RAISE WARNING 'pg_trgm cannot be used here: the search of messages reads every message of a tenant';
END $$;

CREATE TABLE host (
    owner text COLLATE "C" PRIMARY KEY,
    lease_until timestamptz NOT NULL,
    seen_at timestamptz NOT NULL
);

CREATE TABLE catalogue (
    tenant text COLLATE "C" PRIMARY KEY,
    -- Grows with each change of any of the tenant's workflows.
    changes bigint NOT NULL
);

CREATE TABLE workflow (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    life bigint GENERATED ALWAYS AS IDENTITY,
    version bigint NOT NULL,
    changed_at timestamptz NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (tenant, id)
);

-- Those of deleted workflows stay: no workflow has their life any more.
CREATE TABLE workflow_version (
    tenant text COLLATE "C" NOT NULL,
    workflow_id text COLLATE "C" NOT NULL,
    life bigint NOT NULL,
    version bigint NOT NULL,
    run_id text,
    digest text,
    write_id text NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (tenant, workflow_id, life, version)
);
CREATE INDEX workflow_version_digest ON workflow_version (tenant, digest) WHERE digest IS NOT NULL;
CREATE UNIQUE INDEX workflow_version_write ON workflow_version (tenant, write_id, workflow_id);

CREATE TABLE memory (
    tenant text COLLATE "C" NOT NULL,
    user_digest bytea NOT NULL,
    version bigint NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (tenant, user_digest)
);

CREATE TABLE person (
    tenant text COLLATE "C" NOT NULL,
    user_digest bytea NOT NULL,
    version bigint NOT NULL,
    -- Whether something is still to be forgotten in conversations.
    is_forgetting boolean NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (tenant, user_digest)
);

CREATE TABLE idempotency (
    tenant text COLLATE "C" NOT NULL,
    key_digest bytea NOT NULL,
    fingerprint text NOT NULL,
    resource_id text NOT NULL,
    token text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (tenant, key_digest)
);
