-- +goose Up
-- What a record stood for when its link ended with the one across gone: made anew there, or found, the two
-- stand for the same again.
CREATE TABLE stood (
    entry   INTEGER PRIMARY KEY REFERENCES entry (num),
    binding TEXT NOT NULL REFERENCES binding (binding),
    entity  TEXT NOT NULL
) STRICT;
CREATE INDEX stood_entity ON stood (binding, entity);

-- +goose Down
SELECT 1;
