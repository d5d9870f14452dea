package doctor

import (
	"maps"
	"slices"
	"strings"
)

// ids are the names of an id, in the order in which they are believed.
var ids = []string{"id", "_id", "uuid", "guid", "uid", "ID", "Id"}

// identify finds the path of the id: one that every row shows, each another.
func (e *exam) identify() {
	rows := e.first.rows
	own := e.k.ID
	if own == "" {
		own = "id"
	}
	names := compact(append([]string{own}, ids...))
	for _, name := range names {
		if len(rows) > 0 && !e.first.several && tellsApart(rows, name) {
			e.id = name
			break
		}
	}
	e.marks = marks(rows, e.id)
	switch {
	case e.first.several:
		e.say("id", nil, NotKnown, "which of the lists in the answer holds the records is not known")
	case len(rows) == 0:
		e.say("id", nil, NotKnown, "there are no records")
	case e.id == "":
		e.say("id", nil, NotKnown, "no field of the usual names is there in each record and another in each: name its path")
	case len(rows) < few:
		e.say("id", e.id, Likely, "each of %s shows another one", count(len(rows), "record", "records"))
	default:
		e.say("id", e.id, Known, "each of %d records shows another one", len(rows))
	}
}

// tellsApart reports whether a field is there in every row, and another in each.
func tellsApart(rows []row, path string) bool {
	seen := map[string]bool{}
	for _, r := range rows {
		a := at(r, path)
		_, truth := a.(bool) // a truth value is no id
		t := text(a)
		if truth || t == "" || seen[t] {
			return false
		}
		seen[t] = true
	}
	return true
}

// records says what can be told from the records alone.
func (e *exam) records() {
	rows := e.first.rows
	if len(rows) == 0 {
		return
	}
	e.stamps()
	e.days()
	e.duplicates()
	e.readOnly()
}

// duplicates looks for records that share what the preset says is unique.
func (e *exam) duplicates() {
	for _, set := range e.k.Unique {
		seen := map[string]bool{}
		twice := false
		for _, r := range e.first.rows {
			var parts []string
			for _, p := range set {
				if t := text(at(r, p)); t != "" {
					parts = append(parts, t)
				}
			}
			key := strings.Join(parts, "\x00")
			if len(parts) == len(set) {
				twice = twice || seen[key]
				seen[key] = true
			}
		}
		if twice {
			e.say("unique", nil, Known, "two records share %s, which the preset says is unique", strings.Join(set, " and "))
			return
		}
	}
	if len(e.k.Unique) > 0 {
		e.say("unique", nil, NotKnown, "no two of the records seen share what the preset says is unique; whether the system refuses a second one, a write would tell")
	}
}

// readOnly is what the system sets by itself.
func (e *exam) readOnly() {
	if e.id == "" || !offered(e.k, "read_only") {
		return
	}
	all := slices.Clone(e.k.ReadOnly)
	if !slices.Contains(all, e.id) {
		all = slices.DeleteFunc(all, func(p string) bool { return p == e.k.ID || p == "id" })
		all = append(all, e.id)
	}
	for _, key := range []string{"created", "changed"} {
		if f, ok := e.times[key]; ok {
			all = append(all, f.field)
		}
	}
	e.say("read_only", compact(all), Likely, "the id and the times of creation and change are the system's own, as a rule")
}

// omits says whether a field that a record doesn't show is empty. The list alone can't:
// it may be a summary.
func (e *exam) omits(whole row) {
	keys := map[string]int{}
	blank := false
	for _, r := range e.first.rows {
		for key, v := range r {
			keys[key]++
			blank = blank || v == nil || v == ""
		}
	}
	varies := ""
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if keys[key] < len(e.first.rows) {
			varies = key
		}
	}
	for key := range whole {
		if keys[key] == 0 {
			e.say("omits_empty", nil, NotKnown, "a read by id shows fields that the list doesn't: a list that leaves fields out says nothing of them")
			return
		}
	}
	switch {
	case varies != "" && blank:
		e.say("omits_empty", nil, NotKnown, "some records lack %s and some show empty fields: both are seen", varies)
	case varies != "":
		e.say("omits_empty", true, Likely, "some records lack %s, others show it, and none shows an empty field", varies)
	case blank:
		e.say("omits_empty", false, Known, "every record shows every field, empty ones, too")
	default:
		e.say("omits_empty", nil, NotKnown, "no record has an empty field, so that nothing shows how one looks")
	}
}

// required looks for what the preset requires in a new record and no record shows: neither
// the list nor the one that was read by its id.
func (e *exam) required() {
	if e.k.Create == nil || e.alone == nil || len(e.first.rows) < few {
		return
	}
	var left, gone []string
	for _, p := range e.k.Required {
		if slices.ContainsFunc(append(slices.Clone(e.first.rows), e.alone), func(r row) bool { return shows(r, p) }) {
			left = append(left, p)
		} else {
			gone = append(gone, p)
		}
	}
	if len(gone) > 0 {
		e.say("required", left, Likely, "no record shows %s, which the preset requires in a new one: whoever lacks it is left out", strings.Join(gone, ", "))
	}
}

// filled is a row that holds something at each of the paths.
func filled(rows []row, paths []string) (row, bool) {
	i := slices.IndexFunc(rows, func(r row) bool {
		return !slices.ContainsFunc(paths, func(p string) bool { return text(at(r, p)) == "" })
	})
	if i < 0 {
		return nil, false
	}
	return rows[i], true
}
