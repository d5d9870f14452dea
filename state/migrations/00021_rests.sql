-- +goose Up
-- What a question rests on is structured. What was kept as a text counts as one of the things it names.
ALTER TABLE conflict RENAME COLUMN facts TO rests;
UPDATE conflict SET rests = json_object('on', json_array(rests)) WHERE rests <> '' AND rests NOT LIKE '{%';
ALTER TABLE halt RENAME COLUMN detail TO rests;
UPDATE halt SET rests = json_object('on', json_array(rests)) WHERE rests <> '' AND rests NOT LIKE '{%';
-- Why what a person said of a change of which nobody knows what became can't be so.
ALTER TABLE intent ADD COLUMN refused TEXT NOT NULL DEFAULT '';

-- +goose Down
SELECT 1;
