-- +goose Up
-- Objects of a record of which a trial showed that an update keeps what stands beside in them, the record
-- itself as "": the trials before this looked at it alone. And native paths of the original that lists
-- alone showed: what became of them no read by id can tell.
ALTER TABLE trial ADD COLUMN proved TEXT NOT NULL DEFAULT '[]';
ALTER TABLE trial ADD COLUMN listed TEXT NOT NULL DEFAULT '[]';
UPDATE trial SET proved = '[""]' WHERE op = 'update' AND state = 'passed';

-- +goose Down
SELECT 1;
