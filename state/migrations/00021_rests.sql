-- +goose Up
-- What a question rests on is structured. What was kept as a text counts as one of the things it names.
ALTER TABLE conflict RENAME COLUMN facts TO rests;
UPDATE conflict SET rests = json_object('on', json_array(rests)) WHERE rests <> '' AND rests NOT LIKE '{%';
ALTER TABLE halt RENAME COLUMN detail TO rests;
UPDATE halt SET rests = json_object('on', json_array(rests)) WHERE rests <> '' AND rests NOT LIKE '{%';

-- +goose Down
SELECT 1;
