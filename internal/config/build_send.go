package config

import (
	"slices"
	"strings"

	"nightporter/sync/schedule"
)

// send reads what holds back writes that may reach a person.
func (j *jobBuilder) send() {
	for _, key := range []string{"send_hours", "most_an_hour", "never_to"} {
		for _, name := range j.all.keys(j.path(key)...) {
			j.ours(name, j.path(key, name))
		}
	}
	for _, side := range j.sides() {
		s := Send{}
		for _, part := range []bool{j.sendHours(&s, side.System), j.mostAnHour(&s, side.System), j.neverTo(&s, side.System)} {
			if part {
				side.Send = &s
			}
		}
	}
	j.sendAtOnce()
}

func (j *jobBuilder) sendHours(s *Send, system string) bool {
	at := j.path("send_hours", system)
	said := j.raw.SendHours[system]
	if len(said) == 0 || j.cfg.TimeZone == nil {
		return false
	}
	s.Line = j.all.line(at...)
	var err error
	if s.Shut, err = schedule.ParseOpen(strings.Join(said, ", "), j.cfg.TimeZone); err != nil {
		j.bad(at, "%s", err)
		return false
	}
	return true
}

func (j *jobBuilder) mostAnHour(s *Send, system string) bool {
	at, n := j.path("most_an_hour", system), j.raw.MostAnHour[system]
	if n == nil {
		return false
	}
	j.positive(*n, at)
	s.Line, s.AnHour = j.all.line(at...), *n
	return true
}

// sendAtOnce is what goes at any hour: a booking for today and tomorrow, unless the file
// says otherwise.
func (j *jobBuilder) sendAtOnce() {
	at, raw := j.path("send_at_once"), j.raw.SendAtOnce
	field, days := "", 1
	if own := dated(j.job.Kind); len(own) > 0 {
		field = own[0]
	}
	if raw != nil {
		if len(j.raw.SendHours) == 0 {
			j.bad(at, "means nothing without send_hours")
		}
		if field = raw.Field; field == "" {
			j.missing(under(at, "field"), "missing: the field with the day, such as arrival")
		} else if j.mapped(field, under(at, "field")) {
			if f, ok := j.job.Field(field); ok && !slices.Contains([]As{AsDate, AsInstant}, f.As) {
				j.bad(under(at, "field"), "%s is no day: its field must be as: date or as: instant", field)
			}
		}
		if raw.Days != nil {
			if days = *raw.Days; days < 0 {
				j.bad(under(at, "days"), "must be 0, which is today alone, or more")
			}
		}
	}
	for _, side := range j.sides() {
		if side.Send != nil && side.Send.Shut != nil {
			side.Send.Soon, side.Send.Days = field, days
		}
	}
}

func (j *jobBuilder) neverTo(s *Send, system string) bool {
	at := j.path("never_to", system)
	raw, ok := j.raw.NeverTo[system]
	if !ok || j.wasThere(at) {
		return false
	}
	n := &Never{Line: j.all.line(at...), Field: raw.Field, System: raw.System, Kind: raw.Kind, Path: raw.Path}
	switch {
	case raw.Field != "":
		j.mapped(raw.Field, under(at, "field"))
	default:
		n.Field = j.onlyPhone()
		if n.Field == "" {
			j.missing(under(at, "field"), "missing: which field of the job is looked for in the list, such as phone")
		}
	}
	switch {
	case raw.File != "" && raw.System != "":
		j.bad(at, "file and system are two lists: name one")
	case raw.File != "":
		n.File = j.abs(raw.File)
	case raw.System == "":
		j.missing(at, "missing: where the list is: { file: never.txt }, or { system: crm, kind: do_not_call, path: phone }")
	default:
		j.neverIn(n, at)
	}
	s.Line, s.Never = n.Line, n
	return true
}

// neverIn checks a list that is kept in a system.
func (j *jobBuilder) neverIn(n *Never, at []string) {
	sys, ok := j.cfg.System(n.System)
	if !ok {
		if !j.wasThere([]string{"systems", n.System}) {
			j.bad(under(at, "system"), "unknown system%s", didYouMean(n.System, j.systemNames()))
		}
		return
	}
	for key, text := range map[string]string{"kind": n.Kind, "path": n.Path} {
		if text == "" {
			j.missing(under(at, key), "missing: the %s of %s that holds the numbers", key, n.System)
		}
	}
	if sys.SQL == nil || n.Kind == "" {
		return
	}
	if _, ok := sys.SQL.Table(n.Kind); !ok {
		var kinds []string
		for _, t := range sys.SQL.Tables {
			kinds = append(kinds, t.Kind)
		}
		j.bad(under(at, "kind"), "%s has no table %s%s", n.System, shown(n.Kind), didYouMean(n.Kind, kinds))
	}
}

// onlyPhone is the one field of the job that is a phone, or nothing.
func (j *jobBuilder) onlyPhone() string {
	phones := slices.DeleteFunc(slices.Clone(j.job.Fields), func(f Field) bool { return f.As != AsPhone })
	if len(phones) != 1 {
		return ""
	}
	return phones[0].Name
}
