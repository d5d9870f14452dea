package config

import (
	"regexp"
	"slices"
	"strings"
)

// usualAs is the type that a well-known name of a field implies.
func usualAs(name string) As {
	switch name {
	case "given_name", "family_name", "full_name", "middle_name":
		return AsName
	case "phone", "mobile":
		return AsPhone
	case "email":
		return AsEmail
	case "arrival", "departure", "birth_date":
		return AsDate
	case "start", "end", "created_at", "updated_at", "cancelled_at", "last_contacted_at":
		return AsInstant
	case "price", "total", "balance", "deposit":
		return AsMoney
	case "adults", "children", "persons", "nights":
		return AsNumber
	case "marketing_consent", "consent":
		return AsBool
	case "language":
		return AsLanguage
	case "country", "nationality":
		return AsCountry
	case "status":
		return AsEnum
	case "tags":
		return AsSet
	case "content":
		return AsContent
	}
	return AsText
}

func (j *jobBuilder) fields() {
	at := j.path("fields")
	if len(j.fieldNames()) == 0 && !j.wasBelow(at) {
		j.missing(at, "missing: which fields are kept in step; no other is ever touched")
	}
	for _, name := range j.fieldNames() {
		if r, ok := j.raw.Fields[name]; ok {
			j.job.Fields = append(j.job.Fields, j.field(name, r))
		}
	}
}

func (j *jobBuilder) field(name string, r rawField) Field {
	at := j.path("fields", name)
	j.name(at)
	f := Field{
		Name: name, Line: j.all.line(at...), ToLeft: true, ToRight: true, Together: r.Together,
		Enforce: r.Enforce != nil && *r.Enforce, Required: r.Required != nil && *r.Required,
		Max: j.count(r.Max, under(at, "max")),
	}
	if r.To != "" && j.ours(r.To, under(at, "to")) {
		f.ToLeft, f.ToRight = r.To == j.job.Left.System, r.To == j.job.Right.System
	}
	if f.Enforce && r.To == "" {
		j.bad(under(at, "enforce"), "means nothing for a field that goes both ways: say to")
	}
	f.As = j.as(name, r, at)
	if f.As == AsContent && f.ToLeft == f.ToRight && r.To == "" {
		j.missing(under(at, "to"), "missing: the system that gets the content, which goes one way")
	}
	f.Of = j.of(r, f.As, at)
	j.each(&f, r, at)
	f.Reference = j.reference(r, at)
	f.Conflict = j.policy(r.Conflict, PolicyHold, under(at, "conflict"))
	f.Initial = j.policy(r.Initial, f.Conflict, under(at, "initial"))
	f.Clear = choice(j.builder, r.Clear, j.usualClear(f), under(at, "clear"), ClearPropagate, ClearIgnore, ClearHold)
	f.Region = j.regions(r.Region, f, under(at, "region"))
	f.Left = j.fieldSide(j.job.Left.System, r, f, at)
	f.Right = j.fieldSide(j.job.Right.System, r, f, at)
	j.suits(f, r, at)
	return f
}

// hasWords reports whether a field has a table of words.
func (j *jobBuilder) hasWords(name string) bool {
	return slices.Contains(j.all.keys(j.path("tables")...), name) || slices.Contains(j.all.keys(j.at...), name)
}

func (j *jobBuilder) as(name string, r rawField, at []string) As {
	if r.Job != "" {
		if r.As != "" {
			j.bad(under(at, "as"), "means nothing for a field with job, which is a reference")
		}
		return AsReference
	}
	other := usualAs(name)
	if j.hasWords(name) && !wordy(other) {
		other = AsEnum
	}
	as := choice(j.builder, r.As, other, under(at, "as"), types()...)
	if as == AsEnum && !j.hasWords(name) {
		j.missing(j.path(name), "missing: the table of its words, one row for each: confirmed: { %s: …, %s: … }",
			j.job.Left.System, j.job.Right.System)
	}
	return as
}

// of is the type of the elements of a list or set.
func (j *jobBuilder) of(r rawField, as As, at []string) As {
	if as != AsList && as != AsSet {
		if r.Of != "" {
			j.bad(under(at, "of"), "is for a list or a set, and this field is a %s", as)
		}
		return ""
	}
	return choice(j.builder, r.Of, AsText, under(at, "of"), AsText, AsName, AsPhone, AsEmail, AsDate, AsInstant,
		AsNumber, AsLanguage, AsCountry)
}

// types are all that "as" can say.
func types() []As {
	return []As{
		AsText, AsName, AsPhone, AsEmail, AsDate, AsInstant, AsMoney, AsNumber, AsBool, AsLanguage, AsCountry, AsEnum,
		AsList, AsSet, AsContent,
	}
}

func (j *jobBuilder) reference(r rawField, at []string) *Reference {
	if r.Job == "" {
		for key, given := range map[string]bool{"if_left_out": r.IfLeftOut != "", "wait": r.Wait != nil, "then": r.Then != ""} {
			if given {
				j.bad(under(at, key), "means nothing without job")
			}
		}
		return nil
	}
	return &Reference{
		Job: r.Job, IfLeftOut: r.IfLeftOut, Wait: orDuration(r.Wait, defaultWait),
		Then: choice(j.builder, r.Then, ThenHold, under(at, "then"), ThenHold, ThenSnapshot),
	}
}

func (j *jobBuilder) policy(word string, other Policy, at []string) Policy {
	policies := []Policy{
		PolicyNewest, PolicyUnion, PolicyMax, PolicyMin, PolicyFillEmpty, PolicyRules, PolicyConsent, PolicyHold,
	}
	switch word {
	case j.job.Left.System:
		return PolicyLeft
	case j.job.Right.System:
		return PolicyRight
	case "":
		return other
	}
	if !slices.Contains(policies, Policy(word)) {
		j.notOne(at, word, append(j.sideNames(), texts(policies)...))
		return other
	}
	return Policy(word)
}

func (j *jobBuilder) usualClear(f Field) Clear {
	if f.Required || f.Reference != nil {
		return ClearHold
	}
	for _, key := range j.raw.Match {
		if slices.Contains(key, f.Name) {
			return ClearHold
		}
	}
	return ClearPropagate
}

var countryCode = regexp.MustCompile(`^[A-Z]{2}$`)

func (j *jobBuilder) regions(raw words, f Field, at []string) []Region {
	if len(raw) > 0 && f.As != AsPhone {
		j.bad(at, "is for a phone")
	}
	var all []Region
	for _, text := range raw {
		system, path, dotted := strings.Cut(text, ".")
		switch {
		case dotted && path != "":
			if j.ours(system, at) {
				all = append(all, Region{OfLeft: system == j.job.Left.System, Path: path})
			}
		case countryCode.MatchString(text):
			all = append(all, Region{Code: text})
		default:
			j.bad(at, "%s is neither a country of two capital letters, such as IT, nor a field of a system, such as %s.country",
				shown(text), j.job.Right.System)
		}
	}
	return all
}

// suits checks what only makes sense for some types of field.
func (j *jobBuilder) suits(f Field, r rawField, at []string) {
	needs := func(types ...As) {
		if !slices.Contains(types, f.As) {
			j.bad(under(at, "conflict"), "%s is for %s, and this field is a %s; as: says what it is",
				f.Conflict, strings.Join(texts(types), ", "), f.As)
		}
	}
	if r.Conflict == "" {
		return
	}
	switch f.Conflict {
	case PolicyUnion:
		needs(AsList, AsSet)
	case PolicyMax, PolicyMin:
		needs(AsDate, AsInstant, AsNumber, AsMoney)
	case PolicyRules:
		needs(AsEnum)
	case PolicyConsent:
		needs(AsBool, AsEnum)
	case PolicyNewest:
		for _, side := range j.sides() {
			if t, ok := j.tableOf(side); ok && t.Changed == "" {
				j.warn(under(at, "conflict"), "newest cannot be known: %s.%s shows no time of change (changed), so a person is asked",
					side.System, side.Kind)
			}
			if _, ok := j.fileOf(side); ok {
				j.warn(under(at, "conflict"), "newest cannot be known: the rows of a file show no time of change, so a person is asked")
			}
		}
	case PolicyLeft, PolicyRight, PolicyFillEmpty, PolicyHold:
	}
}

func (j *jobBuilder) fieldSide(system string, r rawField, f Field, at []string) FieldSide {
	where := under(at, system)
	raw, ok := r.Sides[system]
	if !ok {
		j.missing(where, "missing: the name of the field in %s", system)
		return FieldSide{}
	}
	s := FieldSide{
		Line: j.all.line(where...), Path: raw.Path, Paths: raw.Paths, Split: raw.Split, Format: raw.Format, Unit: raw.Unit,
		Currency: raw.Currency, Const: j.scalar(raw.Const, under(where, "const")),
		Default: j.scalar(raw.Default, under(where, "default")), Read: raw.Read, Write: raw.Write,
		Empty:  choice(j.builder, raw.Empty, EmptyNull, under(where, "empty"), EmptyNull, EmptyText),
		Filler: raw.Filler, Piece: j.count(raw.Piece, under(where, "piece")), Element: raw.Element,
		Cut: choice(j.builder, raw.Cut, "", under(where, "cut"), "last", "first"),
	}
	if raw.Join != nil {
		s.Join = *raw.Join
	} else if len(s.Paths) > 1 {
		s.Join = " "
	}
	if raw.Phone+raw.Name+raw.Email+raw.ID != "" {
		s.ByKey = &KeyPaths{Phone: raw.Phone, Name: raw.Name, Email: raw.Email, ID: raw.ID}
	}
	j.shape(s, f, where)
	return s
}

// shape checks that the keys of one side fit each other and the type.
func (j *jobBuilder) shape(s FieldSide, f Field, at []string) {
	switch {
	case s.ByKey != nil && f.As != AsReference:
		j.bad(at, "phone, name, email and id are for a field with job; the name of a field is written path: …")
	case s.Path != "" && len(s.Paths) > 0, s.ByKey != nil && (s.Path != "" || len(s.Paths) > 0):
		j.bad(at, "says in two ways where the field is: keep one of path, paths and the names of a reference")
	case s.Path == "" && len(s.Paths) == 0 && s.ByKey == nil && s.Const == nil && s.Read == "" && s.Write == "" && !j.wasBelow(at):
		j.missing(at, "does not say where the field is: give its name, or { path: … }")
	}
	for _, only := range []struct {
		key   string
		given bool
		types []As
	}{
		{"element", s.Element != "", []As{AsList, AsSet}},
		{"currency", s.Currency != "", []As{AsMoney}},
		{"unit", s.Unit != "", []As{AsMoney}},
	} {
		if only.given && !slices.Contains(only.types, f.As) {
			j.bad(under(at, only.key), "is for %s, and this field is a %s; as: says what it is",
				strings.Join(texts(only.types), ", "), f.As)
		}
	}
	if (s.Piece > 0 || s.Cut != "") && s.Split == "" {
		j.bad(at, "piece and cut mean nothing without split")
	}
	if s.Join != "" && len(s.Paths) < 2 {
		j.bad(under(at, "join"), "means nothing without several paths")
	}
}
