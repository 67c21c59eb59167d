-- Hold the lock of a bank only while rows are inserted, and not until they are on disk: send() commits at once, and flush(),
-- which needs no lock, waits for the disk, together with everybody else who waits. Whoever sends or reads calls flush() before
-- he relies on what he sent or saw, so a crash of the server in between is noticed by an error.
CREATE FUNCTION odm_tui.send(of_bank text, of_folder text, interviews text[], bodies bytea[])
RETURNS TABLE (digest bytea, head bigint, folder text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    RETURN QUERY SELECT p.digest, p.head, p.folder FROM odm_tui.push(of_bank, of_folder, interviews, bodies) p;
END $$;

-- Return when everything that was committed before is on disk: the commit of this message waits for all of it.
CREATE FUNCTION odm_tui.flush() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_logical_emit_message(true, 'odm_tui', '');
END $$;

REVOKE ALL ON FUNCTION odm_tui.send, odm_tui.flush FROM PUBLIC;
GRANT EXECUTE ON FUNCTION odm_tui.send, odm_tui.flush TO odm_tui_operator, odm_tui_admin;
