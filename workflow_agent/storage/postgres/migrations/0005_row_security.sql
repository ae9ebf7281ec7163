-- A statement sees the rows of the tenant that it names, '*' being all; the partitions by themselves are no way round.
-- The index of messages has no policy: LIKE is not leakproof, so PostgreSQL would look up no trigrams any more.
DO $$ DECLARE name regclass; BEGIN
    FOREACH name IN ARRAY ARRAY['conversation', 'conversation_item', 'conversation_part', 'conversation_blob', 'lock',
            'record', 'run_step', 'catalogue', 'workflow', 'workflow_version', 'memory', 'person', 'idempotency']
        ::regclass[] || ARRAY(SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'conversation_item'::regclass)
    LOOP
        EXECUTE format('CREATE POLICY of_tenant ON %s
            USING ((SELECT current_setting(''workflow_agent.tenant'', true)) IN (tenant, ''*''))', name);
    END LOOP;
END $$;

CREATE FUNCTION row_security_of_tenants(is_on boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_policies WHERE schemaname = current_schema() AND policyname = 'of_tenant' LOOP
        EXECUTE format('ALTER TABLE %I %s ROW LEVEL SECURITY, %s ROW LEVEL SECURITY', name,
            CASE WHEN is_on THEN 'ENABLE' ELSE 'DISABLE' END, CASE WHEN is_on THEN 'FORCE' ELSE 'NO FORCE' END);
    END LOOP;
END $$;

-- Hosts of the release before name no tenant. In a database that they may work on it is for people to switch it on.
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM schema_migration WHERE at < now()) THEN
        PERFORM row_security_of_tenants(true);
    END IF;
END $$;
