package mapping

import "nightporter/sync/record"

// Loss says that a field of one record can't be read or written, or changes if it is written and read
// again. Its values are a guest's data: show them only to a person who asks for them.
type Loss struct {
	Field string
	From  record.Side // where the value was read
	To    record.Side // where it was written and read again; equal to From for a round trip
	Code  Code        // Lossy, or why the value could not be read or written
	Text  string

	before, after record.Value
}

// Values returns the canonical value as it was read first, and as it came back. A value that could not
// be read or written is Absent.
func (l Loss) Values() (before, after record.Value) { return l.before, l.after }

// Written reports whether the value could be read, and was lost when it was written.
func (l Loss) Written() bool { return l.before.Observed() }

// Prove tries the mapping on one record of a side. It writes each field of the record back to its own
// side, and all fields to the other side, and reads both results again; nothing is sent to a system. It
// returns a Loss for each field that could not be read, could not be written or came back different. A
// field is not tried on a side that does not keep it, or on which it can only be read.
func (m *Mapping) Prove(side record.Side, native record.Fields) []Loss {
	var losses []Loss
	native = Shown(native)
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
		// A reference has other parts there. Only the engine can tell which record it names.
		if v := canonical[f.Name]; v.Observed() && len(f.sides[other].writes()) > 0 && f.As != Reference {
			_, n := m.writeField(other, f, v, nil)
			losses = m.compare(losses, f, side, other, v, written, n)
		}
	}
	return losses
}

// writable returns the fields that can be written to a side, without references.
func (m *Mapping) writable(side record.Side, canonical record.Fields) record.Fields {
	out := record.Fields{}
	for _, f := range m.fields {
		if v := canonical[f.Name]; v.Observed() && f.As != Reference && len(f.sides[side].writes()) > 0 {
			out[f.Name] = v
		}
	}
	return out
}

// compare adds a Loss if the field could not be written, or came back different.
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
