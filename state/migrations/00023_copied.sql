-- +goose Up
-- What a side showed that was put back to an older copy, when a person said that it is to get once more what the other
-- side holds: of each linked record what was not as it was settled, by path, as digests; '' of one that it lacked. A
-- row goes once its record is in step.
CREATE TABLE copied (
    binding TEXT NOT NULL REFERENCES binding (binding),
    side    INTEGER NOT NULL,
    entry   INTEGER NOT NULL REFERENCES entry (num),
    shown   TEXT NOT NULL,
    PRIMARY KEY (binding, side, entry)
) STRICT, WITHOUT ROWID;

-- +goose Down
SELECT 1;
