-- +goose Up
-- Who changed a record last, as its system shows it. It is told by explain alone, decides nothing, and is
-- kept of no job whose values are kept as digests.
CREATE TABLE changed_by (
    entry   INTEGER PRIMARY KEY REFERENCES entry (num),
    binding TEXT NOT NULL REFERENCES binding (binding),
    name    TEXT NOT NULL,
    at      INTEGER NOT NULL                 -- when it was seen
) STRICT;

-- +goose Down
SELECT 1;
