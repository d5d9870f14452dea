package app

import (
	"fmt"
	"slices"
	"strings"

	"nightporter/internal/discover"
)

// text is the whole configuration: what the file says of the house and of both systems, as
// it stands there, and what is proposed.
func (d *discovering) text() string {
	p := d.out.Proposal
	var b strings.Builder
	say := func(format string, args ...any) { b.WriteString(discover.Remark(fmt.Sprintf(format, args...)) + "\n") }
	say("Proposed by nightporter discover %s %s, from records of both as they are now.", p.Systems[0], p.Systems[1])
	say("Each line says how sure it is. known: seen in values on both sides. likely: few values, or names alone.")
	say("not known: yours to say. Then: nightporter check --online, and nightporter plan.")
	if d.cfg.Has("jobs") || d.cfg.Has("events") {
		say("The jobs and events of %s are not in here.", d.cfg.Path)
	}
	for _, n := range d.out.Notes {
		say("not known: %s", n)
	}
	b.WriteString("\n")
	if !d.cfg.Has("time_zone") {
		say("not known: the clock on the house's wall, such as time_zone: Europe/Rome")
	}
	b.WriteString(d.cfg.SourceWithout("systems", "jobs", "events"))
	b.WriteString("\nsystems:\n")
	for _, s := range d.sides {
		b.WriteString("\n" + indent(d.cfg.Source("systems", s.sys.Name), "  "))
		b.WriteString(indent(d.kinds(s), "    "))
	}
	b.WriteString("\n" + p.YAML())
	return b.String()
}

// kinds is the tables or files of the jobs that are proposed, where the configuration has
// none.
func (d *discovering) kinds(s *seen) string {
	side := slices.Index(d.sides[:], s)
	var b strings.Builder
	for _, k := range s.kinds {
		used := slices.ContainsFunc(d.out.Proposal.Jobs, func(j discover.Job) bool { return j.Between[side] == k.sample.Kind })
		if k.listed || !used {
			continue
		}
		if b.Len() == 0 {
			b.WriteString(map[bool]string{true: "tables:\n", false: "files:\n"}[s.sys.SQL != nil])
		}
		fmt.Fprintf(&b, "  %s:\n", discover.Flow(k.sample.Kind))
		if s.sys.SQL != nil {
			fmt.Fprintf(&b, "    table: %s\n", discover.Flow(k.table.Name))
		} else {
			fmt.Fprintf(&b, "    file: %s\n", discover.Flow(k.file.Name))
		}
		switch {
		case k.keyWhy == "":
			b.WriteString("    # key:  " + discover.Remark("not known: what tells one row from another") + "\n")
		case len(k.key) == 1:
			fmt.Fprintf(&b, "    key: %s  %s\n", discover.Flow(k.key[0]), discover.Remark(k.keyWhy))
		default:
			fmt.Fprintf(&b, "    key: %s  %s\n", discover.Flow(k.key), discover.Remark(k.keyWhy))
		}
		b.WriteString("    " + discover.Remark(k.unsaid(s)) + "\n")
	}
	return b.String()
}

// unsaid is what no row tells of a table or a file.
func (k *seenKind) unsaid(s *seen) string {
	if s.sys.SQL == nil {
		return "not known: whether the last line always ends (open_end), what says that the file is whole (done), whether it may be written"
	}
	text := "not known: which rows and columns are private (only, private), which column is ours (our_mark), which counts changes (version)"
	if like := discover.Changing(k.table.Name, k.table.Columns); len(like) > 0 {
		return text + "; whether " + strings.Join(like, " or ") + " moves at every change (changed)"
	}
	return text + ", which moves at every change (changed)"
}

func indent(text, by string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(by)
		}
		b.WriteString(line)
	}
	return b.String()
}
