package mapping

import "nightporter/sync/record"

// Loss says that a field of one record does not survive being written. Its values
// are a guest's: they are shown only to who asks for them.
type Loss struct {
	Field string
	From  record.Side // where the value was read
	To    record.Side // where it was written and read again; From itself for a round trip
	Code  Code        // Lossy, or why it could not be read or written
	Text  string

	before, after record.Value
}

// Values is the canonical value as it was read, and as it came back. Absent stands
// for a value that could not be read or written.
func (l Loss) Values() (before, after record.Value) { return l.before, l.after }

// Written says that the value could be read, and was lost where it was written.
func (l Loss) Written() bool { return l.before.Observed() }

// Prove tries one record of a side: each field that it shows is written where it
// came from, and all of them to the other side, and both are read again. It gives
// what could not be read, what could not be written, and what came back different.
// Fields that one side does not keep, or can only be read there, are not tried
// there.
func (m *Mapping) Prove(side record.Side, native record.Fields) []Loss {
	var losses []Loss
	canonical, problems := m.Read(side, native)
	for _, p := range problems {
		losses = append(losses, Loss{
			Field: p.Field, From: side, To: side, Code: p.Code, Text: p.Text,
			after: canonical[p.Field],
		})
	}
	for _, f := range m.fields {
		if v := canonical[f.Name]; v.Observed() && len(f.sides[side].writes()) > 0 {
			written, n := m.writeField(side, f, v, native)
			losses = m.compare(losses, f, side, side, v, native.With(written), n)
		}
	}
	other := side.Other()
	written, _ := m.Write(other, m.writable(other, canonical), nil)
	for _, f := range m.fields {
		// A reference has other parts there: only the engine can tell who it is.
		if v := canonical[f.Name]; v.Observed() && len(f.sides[other].writes()) > 0 && f.As != Reference {
			_, n := m.writeField(other, f, v, nil)
			losses = m.compare(losses, f, side, other, v, written, n)
		}
	}
	return losses
}

// writable is the fields that can be written to a side.
func (m *Mapping) writable(side record.Side, canonical record.Fields) record.Fields {
	out := record.Fields{}
	for _, f := range m.fields {
		if v := canonical[f.Name]; v.Observed() && f.As != Reference && len(f.sides[side].writes()) > 0 {
			out[f.Name] = v
		}
	}
	return out
}

// compare adds a loss if the field was not written or comes back different.
func (m *Mapping) compare(losses []Loss, f *field, from, to record.Side, v record.Value, native record.Fields, n note) []Loss {
	if n.bad() {
		return append(losses, Loss{Field: f.Name, From: from, To: to, Code: n.code, Text: n.text, before: v})
	}
	back, n := m.readField(to, f, native)
	if back.Equal(v) {
		return losses
	}
	l := Loss{
		Field: f.Name, From: from, To: to, Code: Lossy, Text: "written and read again it is another value",
		before: v, after: back,
	}
	if n.bad() && !back.Observed() {
		l.Code, l.Text = n.code, n.text
	}
	return append(losses, l)
}
