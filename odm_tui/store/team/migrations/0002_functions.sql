-- Everything that changes the store is one of these functions, so that nobody needs the right to update or delete rows.
CREATE FUNCTION odm_tui.lock_bank(of_bank text) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    last bigint;
BEGIN
    SELECT b.head INTO last FROM odm_tui.banks b WHERE b.bank = of_bank FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO odm_tui.banks (bank) VALUES (of_bank) ON CONFLICT DO NOTHING;
        SELECT b.head INTO STRICT last FROM odm_tui.banks b WHERE b.bank = of_bank FOR UPDATE;
    END IF;
    RETURN last;
END $$;

-- Add events that are not there yet, and return the head and the folder of each that is there now. Events of forgotten
-- interviews are left out.
CREATE FUNCTION odm_tui.push(of_bank text, of_folder text, interviews text[], bodies bytea[])
RETURNS TABLE (digest bytea, head bigint, folder text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
            WHERE e.bank = of_bank AND e.interview = o.interview AND e.digest = o.digest
        ) AND NOT EXISTS (
            SELECT FROM odm_tui.forgotten f WHERE f.bank = of_bank AND f.interview = o.interview
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
        JOIN odm_tui.events e ON e.bank = of_bank AND e.interview = o.interview AND e.digest = o.digest;
END $$;

-- Remove interviews and keep their ids, so that no machine brings them back.
CREATE FUNCTION odm_tui.forget(of_bank text, interviews text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    last bigint := odm_tui.lock_bank(of_bank);
BEGIN
    WITH fresh AS (
        SELECT o.interview, row_number() OVER (ORDER BY o.interview) AS number
        FROM (SELECT DISTINCT i.interview FROM unnest(interviews) AS i (interview)) o
        WHERE NOT EXISTS (
            SELECT FROM odm_tui.forgotten f WHERE f.bank = of_bank AND f.interview = o.interview
        )
    ), advanced AS (
        UPDATE odm_tui.banks b SET head = b.head + (SELECT count(*) FROM fresh)
        WHERE b.bank = of_bank AND EXISTS (SELECT FROM fresh)
    )
    INSERT INTO odm_tui.forgotten (bank, head, interview)
    SELECT of_bank, last + f.number, f.interview FROM fresh f
    ON CONFLICT DO NOTHING;
    DELETE FROM odm_tui.events e WHERE e.bank = of_bank AND e.interview = ANY (interviews);
END $$;

REVOKE ALL ON FUNCTION odm_tui.lock_bank, odm_tui.push, odm_tui.forget FROM PUBLIC;
