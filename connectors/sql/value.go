package sql

import (
	"encoding/json"
	"fmt"
	"strings"

	"nightporter/connectors/internal/dbkit"
	"nightporter/sync/record"
)

// value decodes one cell of a column.
func (s *selection) value(name string, cell dbkit.Cell) (record.Value, error) {
	switch cell.Tag {
	case dbkit.Null:
		return record.Nothing(), nil
	case dbkit.Big:
		return record.Value{}, fmt.Errorf("column %q: %s bytes are more than the %d that are read", name, cell.Text, s.most)
	case dbkit.Blob:
		return record.Value{}, fmt.Errorf("column %q: it holds bytes, not a text", name)
	}
	v, err := s.d.value(s.columns[s.at[name]], cell)
	if err != nil {
		return record.Value{}, fmt.Errorf("column %q: %w", name, err)
	}
	return v, nil
}

// decodeJSON reads one JSON value; the error holds nothing of it.
func decodeJSON(text string) (record.Value, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var a any
	if err := dec.Decode(&a); err != nil {
		return record.Value{}, fmt.Errorf("it holds no JSON")
	}
	v, err := record.FromJSON(a)
	if err != nil {
		return record.Value{}, fmt.Errorf("it holds JSON that can't be read")
	}
	return v, nil
}

// number reads the digits of a number; the error holds nothing of them.
func number(text string) (record.Value, error) {
	v, err := record.OfNumber(text)
	if err != nil {
		return record.Value{}, fmt.Errorf("it holds no finite number")
	}
	return v, nil
}
