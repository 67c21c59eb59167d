-- Two roles: operators read everything and add events; admins may also forget. Neither may update or delete a row.
-- Roles belong to the whole server, so another database may have made them already, perhaps at this moment.
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['odm_tui_operator', 'odm_tui_admin'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL;
            END;
        END IF;
    END LOOP;
END $$;

GRANT USAGE ON SCHEMA odm_tui TO odm_tui_operator, odm_tui_admin;
GRANT SELECT ON ALL TABLES IN SCHEMA odm_tui TO odm_tui_operator, odm_tui_admin;
GRANT EXECUTE ON FUNCTION odm_tui.push TO odm_tui_operator, odm_tui_admin;
GRANT EXECUTE ON FUNCTION odm_tui.forget TO odm_tui_admin;
