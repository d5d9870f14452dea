-- +goose Up
-- A state that was put back to an older copy knows what its records held once, and not what
-- happened since. Until both records of a link were compared again, what differs from their
-- bases is decided as where two records meet for the first time.
ALTER TABLE link ADD COLUMN doubted INTEGER NOT NULL DEFAULT 0;
UPDATE link SET doubted = 1 WHERE EXISTS (SELECT 1 FROM adopt_only a WHERE a.binding = ''
    AND NOT EXISTS (SELECT 1 FROM adopt_only p WHERE p.binding = link.binding AND p.since >= a.since));
-- What a question rests on: an answer counts for that, and for nothing else.
ALTER TABLE conflict ADD COLUMN facts TEXT NOT NULL DEFAULT '';

-- +goose Down
SELECT 1;
