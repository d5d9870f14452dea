-- +goose Up
-- A person's no to a change of several fields counts on for those that stand as they were, once others are
-- taken back: the digests of what of it could be sent by itself. They tell no values.
ALTER TABLE staged ADD COLUMN parts TEXT NOT NULL DEFAULT '[]';

-- +goose Down
SELECT 1;
