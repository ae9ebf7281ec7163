"""The statements of conversations: each is done once, however often it is sent."""

from workflow_agent.storage.postgres.database import of_tenant

# A known version comes without its rows. Of another one comes the text of those rows alone that no known transaction
# wrote: what one has written is all in the version that it made, and a row that another changed has that one's number.
READ = of_tenant("""
WITH head AS (SELECT life, version, head FROM conversation WHERE tenant = $1 AND id = $2),
     unknown AS (SELECT FROM head WHERE life IS DISTINCT FROM $3 OR version IS DISTINCT FROM $4),
     item AS (SELECT list, ord, body, xmin AS written_by, xmin = ANY ($5::xid[]) AS is_known FROM conversation_item
         WHERE tenant = $1 AND conversation_id = $2 AND EXISTS (SELECT FROM unknown))
SELECT -1::smallint AS list, CASE WHEN EXISTS (SELECT FROM unknown) THEN head END AS body, life,
    NULL::int[] AS known, NULL::int[] AS ords, NULL::bytea[] AS bodies, NULL::xid[] AS written_by
FROM head
UNION ALL
SELECT list, NULL, NULL, array_agg(ord ORDER BY ord) FILTER (WHERE is_known),
    array_agg(ord ORDER BY ord) FILTER (WHERE NOT is_known), array_agg(body ORDER BY ord) FILTER (WHERE NOT is_known),
    array_agg(written_by ORDER BY ord) FILTER (WHERE NOT is_known)
FROM item GROUP BY list
ORDER BY 1""")

_COLUMNS = """head = $6, title = $7, title_folded = $8, phase = $9, turns = $10, bound_workflow_id = $11,
created_at = $12, updated_at = $13, run_id = $14, fence = $15, owner = $16"""
_ITEMS = """
put AS (INSERT INTO conversation_item (tenant, conversation_id, list, ord, body)
    SELECT $1, $2, new.* FROM unnest($17::smallint[], $18::int[], $19::bytea[]) AS new
    WHERE EXISTS (SELECT FROM saved)
    ON CONFLICT (tenant, conversation_id, list, ord) DO UPDATE SET body = excluded.body),
parts AS (INSERT INTO conversation_part (tenant, conversation_id, name, body)
    SELECT $1, $2, new.* FROM unnest($20::text[], $21::bytea[]) AS new
    WHERE EXISTS (SELECT FROM saved)
    ON CONFLICT (tenant, conversation_id, name) DO UPDATE SET body = excluded.body)"""
CREATE = of_tenant(f"""
WITH saved AS (INSERT INTO conversation (tenant, id, version, saves, head, title, title_folded, phase, turns,
        bound_workflow_id, created_at, updated_at, run_id, fence, owner)
    VALUES ($1, $2, $3 + 1, ARRAY[$5], $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
    ON CONFLICT (tenant, id) DO NOTHING RETURNING life),
{_ITEMS}
SELECT life, pg_current_xact_id()::xid AS written_by FROM saved WHERE $4::bigint IS NULL
UNION ALL SELECT life, NULL FROM conversation WHERE tenant = $1 AND id = $2 AND $5 = ANY (saves)""")
UPDATE = of_tenant(f"""
WITH saved AS (UPDATE conversation SET version = $3 + 1, saves = ARRAY[$5] || saves[1:7], {_COLUMNS}
    WHERE tenant = $1 AND id = $2 AND version = $3 AND life = $4 RETURNING life),
{_ITEMS},
gone AS (DELETE FROM conversation_item USING unnest($22::smallint[], $23::int[]) AS old (list, ord)
    WHERE tenant = $1 AND conversation_id = $2 AND conversation_item.list = old.list
    AND conversation_item.ord = old.ord AND EXISTS (SELECT FROM saved)),
unsealed AS (DELETE FROM conversation_part
    WHERE tenant = $1 AND conversation_id = $2 AND name = ANY ($24::text[]) AND EXISTS (SELECT FROM saved)),
steps AS (DELETE FROM run_step
    WHERE tenant = $1 AND conversation_id = $2 AND run_id = $25 AND EXISTS (SELECT FROM saved))
SELECT life, pg_current_xact_id()::xid AS written_by FROM saved
UNION ALL SELECT life, NULL FROM conversation WHERE tenant = $1 AND id = $2 AND $5 = ANY (saves)""")
DELETE = of_tenant("""
WITH gone AS (DELETE FROM conversation WHERE tenant = $1 AND id = $2 RETURNING tenant, id),
items AS (DELETE FROM conversation_item AS i USING gone WHERE i.tenant = $1 AND i.conversation_id = $2),
parts AS (DELETE FROM conversation_part AS p USING gone WHERE p.tenant = $1 AND p.conversation_id = $2),
blobs AS (DELETE FROM conversation_blob AS b USING gone WHERE b.tenant = $1 AND b.conversation_id = $2),
steps AS (DELETE FROM run_step AS s USING gone WHERE s.tenant = $1 AND s.conversation_id = $2),
said AS (DELETE FROM message AS m USING gone WHERE m.tenant = $1 AND m.conversation_id = $2)
SELECT 1 FROM gone""")
PUT_BLOB = of_tenant("""
WITH fenced AS (SELECT FROM conversation
    WHERE tenant = $1 AND id = $2 AND run_id = $5 AND fence = $6 FOR SHARE),
put AS (INSERT INTO conversation_blob (tenant, conversation_id, digest, body)
    SELECT $1, $2, $3, $4 WHERE $5::text IS NULL OR EXISTS (SELECT FROM fenced) ON CONFLICT DO NOTHING)
SELECT $5::text IS NULL OR EXISTS (SELECT FROM fenced) AS is_let_through""")
BLOB = of_tenant("SELECT body FROM conversation_blob WHERE tenant = $1 AND conversation_id = $2 AND digest = $3")
PART = of_tenant("SELECT body FROM conversation_part WHERE tenant = $1 AND conversation_id = $2 AND name = $3")
BLOBS = of_tenant("SELECT digest, body FROM conversation_blob WHERE tenant = $1 AND conversation_id = $2")
PARTS = of_tenant("SELECT name, body FROM conversation_part WHERE tenant = $1 AND conversation_id = $2")
