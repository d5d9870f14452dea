-- What the last version of a record does not vouch for: paths that a list does not show.
-- Of what an earlier program kept nobody knows which those are: it is shown once more.

-- +goose Up
ALTER TABLE entry ADD COLUMN vouching TEXT;
UPDATE entry SET listed = NULL, vouching = '{"u":["*"]}' WHERE link IS NOT NULL;

-- +goose Down
SELECT 1;
