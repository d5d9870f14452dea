package config

import (
	"maps"
	"slices"
	"strings"
)

// jobBuilder builds one job.
type jobBuilder struct {
	*builder
	raw rawJob
	at  []string
	job *Job
}

func (b *builder) jobs(raw map[string]rawJob) {
	path := []string{"jobs"}
	if len(raw) == 0 && len(b.all.keys("jobs")) == 0 {
		b.missing(path, "missing: what is to be kept in step")
	}
	for _, name := range b.all.keys("jobs") {
		r, ok := raw[name]
		if !ok && b.wasThere(under(path, name)) {
			continue
		}
		j := &jobBuilder{builder: b, raw: r, at: under(path, name), job: &Job{Name: name}}
		j.build()
		b.cfg.Jobs = append(b.cfg.Jobs, *j.job)
	}
	b.samePair()
	b.tree()
	b.sharedCreates()
	b.references()
	b.referenced()
	b.namedByPhone()
}

func (j *jobBuilder) path(more ...string) []string { return under(j.at, more...) }

func (j *jobBuilder) build() {
	j.name(j.at)
	job, raw := j.job, j.raw
	job.Line = j.all.line(j.at...)
	if raw.Kind == "" {
		j.missing(j.path("kind"), "missing: contact, stay, appointment, order or record")
	}
	job.Kind = choice(j.builder, raw.Kind, "", j.path("kind"), KindContact, KindStay, KindAppointment, KindOrder, KindRecord)
	if !j.between() {
		return
	}
	j.fields()
	j.match()
	j.creates()
	j.window()
	j.constants()
	j.updates()
	j.gone()
	j.notAValue()
	j.tables()
	j.may()
	j.states()
	j.clashes()
	j.addsUp()
	j.accept()
	j.columns()
	j.groups()
	j.when()
	j.send()
	j.job.MaxRecord = max(j.count(j.raw.MaxRecord, j.path("max_record")), 0)
	if j.job.MaxRecord == 0 {
		j.job.MaxRecord = defaultRecord
	}
	j.keepValues()
}

// keepValues refuses digests where the values of records in step are needed.
func (j *jobBuilder) keepValues() {
	at := j.path("keep_values")
	j.job.KeepValues = choice(j.builder, j.raw.KeepValues, KeepPlain, at, KeepPlain, KeepDigest)
	if j.job.KeepValues != KeepDigest {
		return
	}
	if j.job.Kind == KindStay || j.job.Kind == KindAppointment {
		j.bad(at, "digest is not for a %s: its days and its status are needed to answer for the room", j.job.Kind)
	}
	for _, f := range j.job.Fields {
		if f.Conflict == PolicyUnion || f.Initial == PolicyUnion {
			j.bad(at, "digest can't go with union, as %s has it: what each side added is only known by what both had", f.Name)
		}
	}
}

// between finds the two systems; without them nothing else can be understood.
func (j *jobBuilder) between() bool {
	at := j.path("between")
	names := slices.DeleteFunc(j.all.keys(at...), func(n string) bool { return j.raw.Between[n] == "" })
	if len(names) != 2 {
		if !j.wasThere(at) && !j.wasBelow(at) {
			j.bad(at, "must name two systems and what each calls the records: { platform: contacts, pms: guests }")
		}
		return false
	}
	j.job.Left, j.job.Right = j.side(names[0]), j.side(names[1])
	return j.job.Left.Kind != "" && j.job.Right.Kind != ""
}

// wasBelow reports whether something inside a block has been called wrong.
func (b *builder) wasBelow(path []string) bool {
	for gone := range b.gone {
		if strings.HasPrefix(gone, join(path)+delim) {
			return true
		}
	}
	return false
}

func (j *jobBuilder) side(name string) JobSide {
	at, kind := j.path("between", name), j.raw.Between[name]
	s, ok := j.cfg.System(name)
	if !ok {
		if !j.wasThere([]string{"systems", name}) {
			j.bad(at, "unknown system%s", didYouMean(name, j.systemNames()))
		}
		return JobSide{}
	}
	if s.SQL != nil && (kind != KindDocuments || len(s.SQL.Documents) == 0) && len(s.SQL.Tables) > 0 {
		if _, ok := s.SQL.Table(kind); !ok {
			var kinds []string
			for _, t := range s.SQL.Tables {
				kinds = append(kinds, t.Kind)
			}
			if !j.wasThere([]string{"systems", name, "tables", kind}) {
				j.bad(at, "%s has no table %s%s", name, shown(kind), didYouMean(kind, kinds))
			}
		}
	}
	if s.Files != nil {
		j.knownFile(s, kind, at)
	}
	if s.Folder != nil && kind != KindDocuments {
		j.bad(at, "%s is a folder, and what is in it is called %s", name, KindDocuments)
	}
	return JobSide{System: name, Kind: kind, Line: j.all.line(at...)}
}

func (b *builder) systemNames() []string {
	var names []string
	for _, s := range b.cfg.Systems {
		names = append(names, s.Name)
	}
	return names
}

// sides are both sides with their names.
func (j *jobBuilder) sides() []*JobSide { return []*JobSide{&j.job.Left, &j.job.Right} }

func (j *jobBuilder) sideNames() []string {
	return []string{j.job.Left.System, j.job.Right.System}
}

// ours reports whether a name is one of the job's two systems, and complains.
func (j *jobBuilder) ours(name string, at []string) bool {
	if slices.Contains(j.sideNames(), name) {
		return true
	}
	j.bad(at, "%s is neither of the two systems of this job, %s and %s%s",
		shown(name), j.job.Left.System, j.job.Right.System, didYouMean(name, j.sideNames()))
	return false
}

func (j *jobBuilder) fieldNames() []string { return j.all.keys(j.path("fields")...) }

// mapped reports whether a name is one of the job's fields, and complains.
func (j *jobBuilder) mapped(name string, at []string) bool {
	if slices.Contains(j.fieldNames(), name) || j.wasThere(j.path("fields", name)) {
		return true
	}
	j.bad(at, "%s is not under fields%s", shown(name), didYouMean(name, j.fieldNames()))
	return false
}

func (j *jobBuilder) match() {
	at := j.path("match")
	if len(j.raw.Match) == 0 {
		j.missing(at, "missing: by which fields two records are the same one, such as [phone, email]")
	}
	for _, key := range j.raw.Match {
		if len(key) == 0 {
			j.bad(at, "a key without a field")
			continue
		}
		for _, field := range key {
			j.mapped(field, at)
		}
		j.job.Match = append(j.job.Match, key)
	}
	j.job.IfSeveral = choice(j.builder, j.raw.IfSeveral, IfSeveralHold, j.path("if_several"), IfSeveralHold, IfSeveralRepresent)
	by := choice(j.builder, j.raw.RepresentBy, RepresentOldest, j.path("represent_by"),
		RepresentOldest, RepresentNewest, RepresentLowestID)
	if j.job.IfSeveral == IfSeveralRepresent {
		j.job.RepresentBy = by
	} else if j.raw.RepresentBy != "" {
		j.bad(j.path("represent_by"), "means nothing without if_several: represent")
	}
}

// dated are the fields that say when a record of a kind is.
func dated(kind Kind) []string {
	switch kind {
	case KindStay:
		return []string{"arrival", "departure"}
	case KindAppointment:
		return []string{"start"}
	case KindContact, KindOrder, KindRecord:
	}
	return nil
}

func (j *jobBuilder) window() {
	raw, at := j.raw.Window, j.path("window")
	if raw == nil {
		return
	}
	switch j.job.Kind {
	case KindStay, KindAppointment:
	case KindOrder, KindRecord:
		j.latestWindow()
	case KindContact:
		j.bad(at, "a contact has no dates: a window is for what happens on a day, like a stay, an order or a call")
		return
	default: // what is wrong with the kind is said there
		return
	}
	for _, field := range dated(j.job.Kind) {
		if !slices.Contains(j.fieldNames(), field) && !j.wasThere(j.path("fields")) {
			j.bad(at, "needs the field %s: without it nobody knows the days of a record", field)
		}
	}
	if raw.From == nil {
		j.missing(under(at, "from"), "missing: the first day, such as -1d")
	}
	if raw.To == nil {
		j.missing(under(at, "to"), "missing: the last day, such as +400d")
	}
	if raw.From == nil || raw.To == nil {
		return
	}
	if *raw.From > *raw.To {
		j.bad(at, "ends before it begins")
	}
	j.job.Window = &Window{Line: j.all.line(at...), From: int(*raw.From), To: int(*raw.To)}
}

func (j *jobBuilder) creates() {
	at := j.path("create")
	for _, name := range j.all.keys(at...) {
		j.ours(name, under(at, name))
	}
	for _, side := range j.sides() {
		word, where := j.raw.Create[side.System], under(at, side.System)
		if word == "" {
			j.missing(where, "missing: when a record that only the other side has is made here: always, never or when_referenced")
			continue
		}
		if word == "when_booked" {
			word = string(CreateWhenReferenced)
		}
		side.Create = choice(j.builder, word, CreateNever, where, CreateAlways, CreateNever, CreateWhenReferenced)
		if t, ok := j.tableOf(side); ok && t.Query != "" && t.Table == "" && side.Create != CreateNever && !j.wasThere(j.tablePath(side)) {
			j.bad(where, "%s has a query and no table, so it is only read: write never", side.Kind)
		}
		if f, ok := j.fileOf(side); ok && f.Write == WriteNever && side.Create != CreateNever {
			j.bad(where, "the file of %s is only read: write never, or say write: append, or rewrite, with the file", side.Kind)
		}
		if j.isDocuments(side) && side.Create != CreateNever {
			j.bad(where, "documents of %s are only read: write never", side.System)
		}
	}
}

// tableOf is the table behind a side, if it is a database's.
func (b *builder) tableOf(side *JobSide) (Table, bool) {
	s, ok := b.cfg.System(side.System)
	if !ok || s.SQL == nil {
		return Table{}, false
	}
	return s.SQL.Table(side.Kind)
}

func (j *jobBuilder) tablePath(side *JobSide) []string {
	return []string{"systems", side.System, "tables", side.Kind, "table"}
}

func (j *jobBuilder) constants() {
	at := j.path("on_create")
	for _, name := range j.all.keys(at...) {
		if !j.ours(name, under(at, name)) {
			continue
		}
		for _, side := range j.sides() {
			if side.System != name {
				continue
			}
			for _, column := range j.all.keys(under(at, name)...) {
				where := under(at, name, column)
				if v := j.scalar(j.raw.OnCreate[name][column], where); v != nil {
					side.OnCreate = append(side.OnCreate, Constant{Path: column, Line: j.all.line(where...), Value: *v})
				}
			}
			if side.Create == CreateNever {
				j.bad(under(at, name), "means nothing with create: never")
			}
		}
	}
}

// scalar is a value with the very digits that were written.
func (b *builder) scalar(v rawScalar, path []string) *Scalar {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		return &Scalar{Type: ScalarText, Text: v}
	case bool:
		if v {
			return &Scalar{Type: ScalarBool, Text: "true"}
		}
		return &Scalar{Type: ScalarBool, Text: "false"}
	}
	if n := b.all.value(path...); n != nil {
		return &Scalar{Type: ScalarNumber, Text: n.Value}
	}
	return nil
}

func (j *jobBuilder) accept() {
	at := j.path("accept_if")
	for _, key := range []string{"accept_if", "answer_within"} {
		if j.job.Kind != KindStay && j.job.Kind != KindAppointment && j.job.Kind != "" && slices.Contains(j.all.keys(j.at...), key) {
			j.bad(j.path(key), "is for bookings: a stay or an appointment")
			return
		}
	}
	j.job.AnswerWithin = orDuration(j.raw.AnswerWithin, 0)
	for _, name := range slices.Sorted(maps.Keys(j.raw.AcceptIf)) {
		query, where := j.raw.AcceptIf[name], under(at, name)
		if name == "" {
			where = at
			name = j.onlySQL()
			if name == "" && j.unknownType() {
				continue
			}
			if name == "" {
				j.bad(where, "say which system is asked: accept_if: { %s: \"select …\" }", j.job.Right.System)
				continue
			}
		} else if !j.ours(name, where) {
			continue
		}
		for _, side := range j.sides() {
			if side.System != name {
				continue
			}
			side.AcceptIf = query
			if s, _ := j.cfg.System(name); s.REST != nil || s.Files != nil || s.Folder != nil {
				j.bad(where, "%s is not a database: only a database can be asked this", name)
			}
			if side.Create == CreateNever {
				j.bad(where, "means nothing with create: { %s: never }", name)
			}
		}
	}
}

// unknownType reports whether it can't be said what one of the systems is.
func (j *jobBuilder) unknownType() bool {
	return slices.ContainsFunc(j.sides(), func(side *JobSide) bool {
		s, _ := j.cfg.System(side.System)
		return s.Type == ""
	})
}

// onlySQL is the one side that is a database, or nothing.
func (j *jobBuilder) onlySQL() string {
	var names []string
	for _, side := range j.sides() {
		if s, ok := j.cfg.System(side.System); ok && s.SQL != nil {
			names = append(names, side.System)
		}
	}
	if len(names) != 1 {
		return ""
	}
	return names[0]
}
