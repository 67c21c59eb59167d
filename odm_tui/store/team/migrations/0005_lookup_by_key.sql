-- Look every event up by its key, whatever the planner believes: a session keeps the plan that it made while the tables were
-- small, and that one read all rows of the bank for each batch. OFFSET 0 keeps a lookup from becoming a join. So one plan
-- fits all, and is made once a session.
CREATE OR REPLACE FUNCTION odm_tui.push(of_bank text, of_folder text, interviews text[], bodies bytea[])
RETURNS TABLE (digest bytea, head bigint, folder text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    last bigint := odm_tui.lock_bank(of_bank);
BEGIN
    WITH offered AS (
        SELECT o.interview, substring(sha256(o.body) FROM 1 FOR 16) AS digest, o.body, min(o.place) AS place
        FROM unnest(interviews, bodies) WITH ORDINALITY AS o (interview, body, place)
        GROUP BY o.interview, o.body
    ), fresh AS (
        SELECT o.*, row_number() OVER (ORDER BY o.place) AS number
        FROM offered o
        WHERE NOT EXISTS (
            SELECT FROM odm_tui.events e
            WHERE e.bank = of_bank AND e.interview = o.interview AND e.digest = o.digest OFFSET 0
        ) AND NOT EXISTS (
            SELECT FROM odm_tui.forgotten f WHERE f.bank = of_bank AND f.interview = o.interview OFFSET 0
        )
    ), advanced AS (
        UPDATE odm_tui.banks b SET head = b.head + (SELECT count(*) FROM fresh)
        WHERE b.bank = of_bank AND EXISTS (SELECT FROM fresh)
    )
    INSERT INTO odm_tui.events (bank, head, interview, digest, folder, body)
    SELECT of_bank, last + f.number, f.interview, f.digest, of_folder, f.body FROM fresh f
    ON CONFLICT DO NOTHING;
    RETURN QUERY
        SELECT e.digest, e.head, e.folder
        FROM (
            SELECT DISTINCT o.interview, substring(sha256(o.body) FROM 1 FOR 16) AS digest
            FROM unnest(interviews, bodies) AS o (interview, body)
        ) o
        CROSS JOIN LATERAL (
            SELECT x.digest, x.head, x.folder FROM odm_tui.events x
            WHERE x.bank = of_bank AND x.interview = o.interview AND x.digest = o.digest OFFSET 0
        ) e;
END $$;
