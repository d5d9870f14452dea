-- +goose Up
-- Whom a record meant that names another by a phone number and is not settled yet. It means the same as
-- long as it shows the same, whoever has that number by then.
CREATE TABLE meant (
    entry INTEGER NOT NULL REFERENCES entry (num),
    field TEXT NOT NULL,
    shown TEXT NOT NULL,                      -- a digest of what it showed
    who   INTEGER NOT NULL REFERENCES entry (num),
    born  INTEGER NOT NULL,                   -- when its system made that one, 0 where it does not say
    name  TEXT NOT NULL,                      -- a digest of its name
    gone  INTEGER NOT NULL DEFAULT 0,         -- whoever that was is gone: under the id there may be another one
    PRIMARY KEY (entry, field)
) STRICT, WITHOUT ROWID;
CREATE INDEX meant_who ON meant (who);

-- +goose Down
SELECT 1;
