-- +goose Up
-- Others are told of the changes that a guard holds: an alarm that nobody hears is none.

-- A set that takes the place of one that was open until now is the same question, with more or fewer changes.
-- +goose StatementBegin
CREATE TRIGGER happened_held AFTER INSERT ON stage
WHEN EXISTS (SELECT 1 FROM destination) AND NOT EXISTS (SELECT 1 FROM stage s WHERE s.binding = NEW.binding
    AND s.side = NEW.side AND s.risk = NEW.risk AND s.digest <> NEW.digest AND s.ended = NEW.at AND s.decision = '')
BEGIN
    INSERT INTO happening (binding, what, ref, at) VALUES (NEW.binding, 'held', NEW.digest, NEW.at);
END;
-- +goose StatementEnd

-- It was over, and is asked anew.
-- +goose StatementBegin
CREATE TRIGGER happened_held_anew AFTER UPDATE OF ended ON stage
WHEN OLD.ended IS NOT NULL AND NEW.ended IS NULL AND NEW.decision = '' AND EXISTS (SELECT 1 FROM destination)
    AND NOT EXISTS (SELECT 1 FROM stage s WHERE s.binding = NEW.binding
    AND s.side = NEW.side AND s.risk = NEW.risk AND s.digest <> NEW.digest AND s.ended = NEW.at AND s.decision = '')
BEGIN
    INSERT INTO happening (binding, what, ref, at) VALUES (NEW.binding, 'held', NEW.digest, NEW.at);
END;
-- +goose StatementEnd

-- +goose Down
SELECT 1;
