-- +goose Up
-- Why a record is put aside, as a name: rules ask for it. The sentence in why is for people.
ALTER TABLE entry ADD COLUMN cause TEXT NOT NULL DEFAULT '';

-- +goose Down
SELECT 1;
