package app

import (
	"fmt"

	"nightporter/internal/config"
	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// MappingOf compiles the mapping of a job without opening any system.
func MappingOf(cfg *config.Config, job string) (*mapping.Mapping, error) {
	j, ok := cfg.Job(job)
	if !ok {
		return nil, fmt.Errorf("there is no job %s in %s", job, cfg.Path)
	}
	return (&App{Config: cfg}).mapping(&j)
}

// Written is the native paths by which a side writes a field that is a reference;
// none for any other field.
func Written(m *mapping.Mapping, side record.Side, field string) []string {
	for _, f := range m.Fields() {
		if f.Name == field && f.Refer != "" {
			return m.Outputs(side, field)
		}
	}
	return nil
}

// ValueOf is the value that a text typed by a person stands for in a field of a
// pair: the field's own spelling, or that of either system. The empty text clears
// the field. Its error says why the text is no value, and never repeats it.
func ValueOf(m *mapping.Mapping, field, text string, pair record.Pair) (record.Value, error) {
	if text == "" {
		return record.Nothing(), nil
	}
	var why error
	for _, side := range record.Sides {
		v, err := readAs(m, side, field, text, pair.Sides[side].Last())
		if err == nil {
			return v, nil
		}
		why = err
	}
	return record.Value{}, why
}

// readAs reads a text in one side's spelling, then in our own.
func readAs(m *mapping.Mapping, side record.Side, field, text string, native record.Fields) (record.Value, error) {
	paths := m.Outputs(side, field)
	if len(paths) != 1 {
		return record.Value{}, fmt.Errorf("a value of %s can't be typed: choose one of the two sides", field)
	}
	typed := native.With(record.Fields{paths[0]: record.OfText(text)})
	canonical, problems := m.Read(side, typed)
	v := canonical[field]
	for _, p := range problems {
		if p.Field == field {
			v = record.Value{}
		}
	}
	if v.Observed() && !v.Empty() {
		return v, nil
	}
	written, problems := m.Write(side, record.Fields{field: record.OfText(text)}, native)
	if len(problems) > 0 {
		return record.Value{}, fmt.Errorf("that is no %s: %s", field, problems[0].Text)
	}
	canonical, problems = m.Read(side, native.With(written))
	for _, p := range problems {
		if p.Field == field {
			return record.Value{}, fmt.Errorf("that is no %s: %s", field, p.Text)
		}
	}
	if v := canonical[field]; v.Observed() && !v.Empty() {
		return v, nil
	}
	return record.Value{}, fmt.Errorf("that is no %s", field)
}
