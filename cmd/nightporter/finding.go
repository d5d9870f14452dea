package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/record"
)

// findingJSON is why records of a job are not written as they should be: all of one cause.
type findingJSON struct {
	Job     record.Binding     `json:"job"`
	System  record.System      `json:"system"` // that would be written
	Kind    record.Kind        `json:"kind"`   // there
	Finding record.FindingName `json:"finding"`
	Op      string             `json:"op"`
	About   string             `json:"about,omitempty"` // the field or column
	Text    string             `json:"text"`
	Key     string             `json:"key"`               // of the configuration, or the command, that is about it
	Count   int64              `json:"count"`             // of the records
	Records []record.Ref       `json:"records,omitempty"` // the first of them
	Since   instant            `json:"since"`
	Person  bool               `json:"for_person"` // it stays until a person mends something

	single bool // it is about one record at a time, not about the kind
}

// shownRefs is how many records are named with a finding.
const shownRefs = 3

// findingsOf is what was found of a job and is not over, by its cause.
func findingsOf(ctx context.Context, s *state.Store, cfg *config.Config, b record.Binding) ([]findingJSON, error) {
	all, err := s.Findings(ctx, b)
	if err != nil {
		return nil, err
	}
	var out []findingJSON
	for _, f := range all {
		x := findingOf(f, cfg)
		i := slices.IndexFunc(out, x.like)
		if i < 0 {
			i, out = len(out), append(out, x)
		}
		if out[i].Count++; len(out[i].Records) < shownRefs && f.Ref.ID != "" {
			out[i].Records = append(out[i].Records, f.Ref)
		}
	}
	return out, nil
}

func findingOf(f record.Finding, cfg *config.Config) findingJSON {
	x := findingJSON{
		Job: f.Place.Binding, System: systemsOf(cfg, f.Place.Binding)[f.Place.Side], Kind: kindsOf(cfg, f.Place.Binding)[f.Place.Side],
		Finding: f.Name, Op: f.Op.String(), About: f.About, Text: f.Text, Since: timeJSON(f.Since), Person: f.ForPerson(), single: f.Link != 0,
	}
	x.Key = x.mends(cfg)
	return x
}

// like reports whether two are of the same cause.
func (x findingJSON) like(o findingJSON) bool {
	return x.System == o.System && x.Finding == o.Finding && x.Op == o.Op && x.About == o.About && x.Text == o.Text && x.single == o.single
}

// kindsOf is the kinds of a job.
func kindsOf(cfg *config.Config, b record.Binding) [2]record.Kind {
	j, ok := cfg.Job(string(b))
	if !ok {
		return [2]record.Kind{}
	}
	return [2]record.Kind{record.Kind(j.Left.Kind), record.Kind(j.Right.Kind)}
}

// field is the key of the configuration that is about the field, and before it the record that the field names: that is
// mended first.
func (x findingJSON) field(cfg *config.Config) string {
	key := fmt.Sprintf("jobs.%s.fields.%s", x.Job, x.About)
	if j, ok := cfg.Job(string(x.Job)); ok {
		if f, is := j.Field(x.About); is && f.Reference != nil {
			return fmt.Sprintf("the record that its %s names, as said above, or %s", x.About, key)
		}
	}
	return key
}

// mends is the key of the configuration that is about a finding, or the command.
func (x findingJSON) mends(cfg *config.Config) string {
	how := fmt.Sprintf("systems.%s.tables.%s", x.System, x.Kind)
	if sys, ok := cfg.System(string(x.System)); ok && sys.REST != nil {
		how = fmt.Sprintf("systems.%s.override.kinds.%s.%s", x.System, x.Kind, x.Op)
	}
	switch x.Finding {
	case record.FindVerb, record.FindNoUpdate:
		if x.Op == record.Update.String() {
			return fmt.Sprintf("%s, or jobs.%s.update: { %s: never }", how, x.Job, x.System)
		}
		if x.Op == record.Create.String() {
			return fmt.Sprintf("%s, or jobs.%s.create: { %s: never }", how, x.Job, x.System)
		}
		return how
	case record.FindUnanswered:
		if x.single {
			return fmt.Sprintf("the record itself in %s: it is asked for again, after an hour at the latest", x.System)
		}
		return fmt.Sprintf("%s itself: one write asks at each run, and the others go once it is answered", x.System)
	case record.FindForbidden:
		return fmt.Sprintf("systems.%s.key: nightporter check --online prints the rights that are needed", x.System)
	case record.FindRequired, record.FindHeld:
		if x.About != "" {
			return fmt.Sprintf("jobs.%s.on_create.%s.%s, or a field that is mapped to it", x.Job, x.System, x.About)
		}
	case record.FindUnwritable, record.FindLacking:
		if x.About != "" {
			return x.field(cfg)
		}
	case record.FindUnproven:
		return fmt.Sprintf("systems.%s.override.kinds.%s.find, by %s; a list that is read whole lets it go, too", x.System, x.Kind, x.About)
	case record.FindUnseen:
		return fmt.Sprintf("the record itself in %s", x.System)
	case record.FindDamaged:
		return "nightporter restore --force with a backup that is whole"
	case record.FindUnreadable, record.FindUndecided:
		return fmt.Sprintf("the record itself in %s, or %s", x.System, strings.Join(x.fieldKeys(cfg), ", "))
	case record.FindBlanked:
		return fmt.Sprintf("the record itself in %s, or privacy.blank: [] where such numbers are no cards", x.System)
	case record.FindRefused:
	}
	return "nightporter quarantine"
}

// fieldKeys is the keys of the configuration that say how the fields of a finding are read.
func (x findingJSON) fieldKeys(cfg *config.Config) []string {
	j, known := cfg.Job(string(x.Job))
	keys := strings.Split(x.About, ", ")
	for i, field := range keys {
		keys[i] = fmt.Sprintf("jobs.%s.fields.%s", x.Job, field)
		if known {
			if _, words := j.Table(field); words {
				keys[i] = fmt.Sprintf("the table jobs.%s.%s", x.Job, field)
			}
		}
	}
	return keys
}

// sentence says what is not written, and why.
func (x findingJSON) sentence() string {
	what := ""
	switch x.Finding {
	case record.FindVerb:
		what = fmt.Sprintf("%s takes no %s of %s", x.System, x.Op, x.Kind)
	case record.FindForbidden:
		what = fmt.Sprintf("%s does not let our key %s %s", x.System, x.Op, x.Kind)
	case record.FindHeld:
		what = fmt.Sprintf("%s takes no new %s, because a record there holds %s already", x.System, x.Kind, cmp.Or(x.About, "a value that must be unique"))
	case record.FindRequired:
		what = fmt.Sprintf("%s needs %s in new %s, and nothing writes it", x.System, x.About, x.Kind)
	case record.FindUnanswered:
		if x.single {
			what = fmt.Sprintf("%s does not answer to %s %s so that its outcome is known", x.System, x.Op, cmp.Or(x.About, string(x.Kind)))
			break
		}
		return fmt.Sprintf("%s answers no %s of %s so that its outcome is known: %s", x.System, x.Op, x.Kind, x.Text)
	case record.FindNoUpdate:
		what = fmt.Sprintf("%s of %s is not written to %s", cmp.Or(x.About, "a change"), x.Kind, x.System)
	case record.FindLacking:
		return fmt.Sprintf("%s: %s", count(x.Count, "record", "records"), x.Text)
	case record.FindUnwritable, record.FindUnseen:
		what = fmt.Sprintf("%s is not written to %s", cmp.Or(x.About, string(x.Kind)), x.System)
	case record.FindDamaged:
		what = fmt.Sprintf("%s of %s is carried neither way", x.Kind, x.System)
	case record.FindUnproven:
		what = fmt.Sprintf("%s gets no new %s", x.System, x.Kind)
	case record.FindUndecided:
		what = fmt.Sprintf("%s of new %s in %s can't be read, and nothing is created from them until it can", x.About, x.Kind, x.System)
	case record.FindUnreadable:
		what = fmt.Sprintf("%s of %s in %s can't be read", x.About, x.Kind, x.System)
	case record.FindBlanked:
		what = fmt.Sprintf("%s of %s in %s is blanked", x.About, x.Kind, x.System)
	case record.FindRefused:
		what = fmt.Sprintf("%s refused a new %s", x.System, x.Kind)
		if x.Op != record.Create.String() {
			what = fmt.Sprintf("%s refused %s of %s", x.System, cmp.Or(x.About, "to "+x.Op), x.Kind)
		} else if x.About != "" {
			what += " for its " + x.About
		}
	}
	return fmt.Sprintf("%s: %s: %s", count(x.Count, "record", "records"), what, x.Text)
}

// printUnwritten prints what is not written, for as long as it is so.
func (c *cli) printUnwritten(all []findingJSON) {
	shown := 0
	for _, x := range all {
		if shown++; shown > most && !c.verbose {
			continue
		}
		if x.isUnread() {
			show(c.out, "  NOT READ since %s, %s\n    such as %s; to mend it: %s\n", x.Since, x.sentence(), refsText(x.Records), x.Key)
			continue
		}
		if !x.Person && !c.verbose { // it comes back by itself
			show(c.out, "  left out: %s\n", x.sentence())
			continue
		}
		such := ""
		if len(x.Records) > 0 {
			such = "such as " + refsText(x.Records) + "; "
		}
		show(c.out, "  NOT WRITTEN since %s, %s\n    %sto mend it: %s\n", x.Since, x.sentence(), such, x.Key)
	}
	if shown > most && !c.verbose {
		show(c.out, "  and %d more causes\n", shown-most)
	}
}

// isUnread reports whether it is about a value that nobody reads.
func (x findingJSON) isUnread() bool {
	return x.Finding == record.FindUnreadable || x.Finding == record.FindUndecided || x.Finding == record.FindBlanked
}

func refsText(refs []record.Ref) string {
	var texts []string
	for _, r := range refs {
		texts = append(texts, r.String())
	}
	return strings.Join(texts, ", ")
}

// unwritten is how many causes of findings wait for a person.
func unwritten(all []findingJSON) (n int64) {
	for _, x := range all {
		if x.Person {
			n++
		}
	}
	return n
}
