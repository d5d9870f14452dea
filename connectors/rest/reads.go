package rest

import "strings"

// omitted is how a path reads that is empty where a record does not show it.
const omitted = "omitted is empty"

// reads says how values are made of what the API shows, by native path, as the preset takes effect.
func (k *kind) reads() map[string]string {
	out := map[string]string{}
	for name := range k.fields {
		out[name] = k.reading(name)
	}
	for name := range k.subs {
		out[name] = k.reading(name)
	}
	if k.OmitsEmpty {
		out[""] = omitted
	}
	return out
}

func (k *kind) reading(name string) string {
	var parts []string
	if how := k.fields[name].reading(); how != "" {
		parts = append(parts, how)
	}
	sub, own := k.subs[name]
	switch {
	case own:
		parts = append(parts, "from "+k.SubReads[name].Path+" at "+sub.walk.String())
	case k.OmitsEmpty:
		parts = append(parts, omitted)
	}
	return strings.Join(parts, ", ")
}

// reading says how a value of the type is made; "" where it is as it stands. Of a time, the zone is named
// only where it changes the value.
func (f field) reading() string {
	switch f.Type {
	case "date", "local", "instant":
	default:
		return f.Type
	}
	how := f.Type + " of " + f.clock.format + f.clock.layout
	if f.clock.shifts(f.Type == "instant") {
		how += " in " + f.clock.zone.String()
	}
	return how
}

// shifts reports whether the zone changes what a time is read as: as an instant, or as what the clock of
// the zone shows. A time without an offset is an instant only in a zone, and one with an offset needs a zone
// only to be shown on its clock. In RFC 3339 an offset may be left out.
func (c clock) shifts(instant bool) bool {
	switch {
	case c.format == rfc3339:
		return true
	case c.format == epochS, c.format == epochMS, strings.Contains(c.layout, "Z07:00"):
		return !instant
	}
	return instant
}
