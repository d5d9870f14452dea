package simulator

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

type fieldKind int

const (
	textField   fieldKind = iota
	emailField            // lower-cased, indexed
	phoneField            // cleaned, indexed
	refField              // a caller's reference, indexed
	dateField             // YYYY-MM-DD
	statusField           // one of statuses
	bagField              // free scalars under keys
	groupField            // texts under the names in parts
	listField             // texts
	flagField             // true or false

	referenceField // the number that an order has where it comes from, indexed
	linesField     // the lines of an order
	amountField    // a decimal in a string
	wordField      // one of the field's words
)

type field struct {
	name     string
	kind     fieldKind
	required bool
	filter   bool
	readOnly bool // what is sent is ignored
	parts    []string
	words    []string
}

// indexed fields are found without a scan over all rows.
func (f field) indexed() bool {
	return f.kind == emailField || f.kind == phoneField || f.kind == refField || f.kind == referenceField
}

// key is the form in which values of f are compared.
func (f field) key(text string) string {
	if f.kind == phoneField {
		return cleanPhone(text)
	}
	if f.kind == emailField {
		return strings.ToLower(text)
	}
	return text
}

// resource is the shape of one kind of record.
type resource struct {
	name    string // of the kind, whatever the path
	segment string // of the path
	one     string // word for one record, in error texts
	letter  string // of sequential ids
	fields  []field
	unique  string                                           // field that is unique in an account
	parts   []string                                         // texts that are shown below a record alone
	sortBy  func(fields map[string]any) string               // key of ByName
	check   func(fields map[string]any) (text string)        // rule over several fields, "" when kept
	window  func(fields map[string]any) (from, until string) // span of a stay, nil without one

	readOnly bool // nothing of it can be written
	deletes  bool // DELETE is offered whatever the options say

	dated bool                                              // created_at is shown
	after string                                            // parameter that limits a list to what was made after a time
	began string                                            // field with the time that it compares; without one, when the record was made
	first map[string]any                                    // what a record begins with
	step  func(old, body map[string]any) (text string)      // rule over a change, "" when kept
	told  func(before, after map[string]any) (event string) // what an update is called by a webhook
}

var statuses = []string{
	"PENDING", "CONFIRMED", "APPROVED", "REJECTED", "CANCELLED", "PENDING_DELETION", "COMPLETED", "NO_SHOW",
}

func contactResource() *resource {
	return &resource{
		name: "contacts", segment: "contacts", one: "contact", letter: "c", unique: "phone_number",
		fields: []field{
			{name: "first_name", required: true, filter: true},
			{name: "last_name", filter: true},
			{name: "phone_number", kind: phoneField, required: true, filter: true},
			{name: "email", kind: emailField, filter: true},
			{name: "language"},
			{name: "notes"},
			{name: "custom_fields", kind: bagField},
		},
		sortBy: func(f map[string]any) string { return textOf(f, "last_name") + "\x00" + textOf(f, "first_name") },
	}
}

// publicContact is the fields of a contact in the platform's public documentation.
func publicContact() []field {
	return []field{
		{name: "first_name", required: true, filter: true},
		{name: "last_name", filter: true},
		{name: "email", kind: emailField, filter: true},
		{name: "phone_number", kind: phoneField, required: true, filter: true},
		{name: "address"},
		{name: "last_call_time", readOnly: true},
	}
}

func reservationResource() *resource {
	return &resource{
		name: "reservations", segment: "reservations", one: "reservation", letter: "r",
		fields: []field{
			{name: "client_full_name", required: true},
			{name: "client_phone_number", kind: phoneField, filter: true},
			{name: "client_email", kind: emailField},
			{name: "starting_date", kind: dateField, required: true, filter: true},
			{name: "ending_date", kind: dateField, required: true, filter: true},
			{name: "status", kind: statusField, filter: true},
			{name: "details"},
		},
		sortBy: func(f map[string]any) string { return textOf(f, "client_full_name") },
		window: func(f map[string]any) (string, string) {
			return textOf(f, "starting_date"), textOf(f, "ending_date")
		},
		check: func(f map[string]any) string {
			if textOf(f, "ending_date") < textOf(f, "starting_date") {
				return "ending_date is before starting_date"
			}
			return ""
		},
	}
}

func peopleResource() *resource {
	return &resource{
		name: "people", segment: "people", one: "person", letter: "p",
		fields: []field{
			{name: "name", kind: groupField, required: true, parts: []string{"given", "family"}},
			{name: "mobile", kind: phoneField, filter: true},
			{name: "mail", kind: emailField, filter: true},
			{name: "lang"},
			{name: "external_ref", kind: refField, filter: true},
		},
		sortBy: func(f map[string]any) string {
			name, _ := f["name"].(map[string]any)
			return textOf(name, "family") + "\x00" + textOf(name, "given")
		},
	}
}

func (r *resource) field(name string) (field, bool) {
	i := slices.IndexFunc(r.fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return field{}, false
	}
	return r.fields[i], true
}

func textOf(fields map[string]any, name string) string {
	text, _ := fields[name].(string)
	return text
}

// merged is base with the known fields of body laid over it, tidied and checked.
func (r *resource) merged(n Normalise, t Traits, base, body map[string]any) (map[string]any, error) {
	out := maps.Clone(base)
	if out == nil {
		out = map[string]any{}
	}
	for _, f := range r.fields {
		sent, ok := body[f.name]
		switch {
		case !ok || f.readOnly:
			continue
		case sent == nil && t.Clear == ClearText:
			return nil, fmt.Errorf("%s must not be null", f.name)
		case sent == nil, sent == "" && t.Clear == ClearText:
			delete(out, f.name)
			continue
		case f.kind == dateField:
			day, ok := t.Days.read(sent)
			if !ok {
				return nil, fmt.Errorf("%s is not a date of the form %s", f.name, t.Days.name())
			}
			sent = day
		}
		v, err := n.value(f, out[f.name], sent)
		if err != nil {
			return nil, err
		}
		out[f.name] = v
	}
	for _, f := range r.fields {
		if v, ok := out[f.name]; f.required && (!ok || v == "") {
			return nil, fmt.Errorf("%s is required", f.name)
		}
	}
	if r.check != nil {
		if text := r.check(out); text != "" {
			return nil, fmt.Errorf("%s", text)
		}
	}
	return out, nil
}

// kept is what an update with the whole record leaves as it is.
func (r *resource) kept(fields map[string]any) map[string]any {
	out := map[string]any{}
	for _, f := range r.fields {
		if v, ok := fields[f.name]; ok && f.readOnly {
			out[f.name] = v
		}
	}
	return out
}

// replaced is what an update makes of a record where it replaces: fields without those
// that body does not have. Where some are named the others are left as they are.
func (r *resource) replaced(named []string, fields, body map[string]any) map[string]any {
	out := maps.Clone(fields)
	for _, f := range r.fields {
		sent, ok := body[f.name]
		switch {
		case f.readOnly, len(named) > 0 && !slices.Contains(named, f.name):
		case !ok:
			delete(out, f.name)
		case f.kind == bagField, f.kind == groupField:
			out[f.name] = onlyKeys(out[f.name], sent)
		}
	}
	return out
}

// onlyKeys is an object with the keys alone that another one has.
func onlyKeys(object, of any) any {
	in, _ := object.(map[string]any)
	keys, _ := of.(map[string]any)
	out := maps.Clone(in)
	maps.DeleteFunc(out, func(k string, _ any) bool { _, ok := keys[k]; return !ok })
	return out
}

// without is fields without those that are named; "name.family" takes one part of a
// group out.
func without(fields map[string]any, names []string) map[string]any {
	if len(names) == 0 {
		return fields
	}
	out := maps.Clone(fields)
	for _, name := range names {
		parent, part, nested := strings.Cut(name, ".")
		if !nested {
			delete(out, name)
			continue
		}
		if group, ok := out[parent].(map[string]any); ok {
			out[parent] = without(group, []string{part})
		}
	}
	return out
}

// value is what is stored for a sent value.
func (n Normalise) value(f field, old, sent any) (any, error) {
	if f.kind == bagField {
		return mergedBag(f, old, sent)
	}
	if f.kind == groupField {
		return n.mergedGroup(f, old, sent)
	}
	if f.kind == linesField {
		return lines(f, sent)
	}
	if f.kind == listField || f.kind == flagField {
		return plainValue(f, sent)
	}
	text, ok := sent.(string)
	if !ok {
		return nil, fmt.Errorf("%s must be a string", f.name)
	}
	switch f.kind {
	case emailField:
		if !n.KeepEmailCase {
			text = strings.ToLower(text)
		}
	case phoneField:
		if text != "" && !validPhone(cleanPhone(text)) {
			return nil, fmt.Errorf("%s is not a phone number", f.name)
		}
		text = n.Phone.stored(text)
	case statusField:
		if !slices.Contains(statuses, text) {
			return nil, fmt.Errorf("%s must be one of %s", f.name, strings.Join(statuses, ", "))
		}
	case wordField:
		if !slices.Contains(f.words, text) {
			return nil, fmt.Errorf("%s must be one of %s", f.name, strings.Join(f.words, ", "))
		}
	case amountField:
		if !isAmount(sent) {
			return nil, fmt.Errorf("%s must be a decimal in a string", f.name)
		}
	case textField, refField, dateField, bagField, groupField, referenceField, linesField, listField, flagField:
	}
	return n.cut(f.name, text), nil
}

func (n Normalise) cut(name, text string) string {
	limit, ok := n.Truncate[name]
	if !ok || utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit])
}

func mergedBag(f field, old, sent any) (any, error) {
	in, ok := sent.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s must be an object", f.name)
	}
	out := map[string]any{}
	if was, ok := old.(map[string]any); ok {
		maps.Copy(out, was)
	}
	for k, v := range in {
		switch v.(type) {
		case nil:
			delete(out, k)
		case string, bool, json.Number:
			out[k] = v
		default:
			return nil, fmt.Errorf("%s.%s must be a text, a number, true or false", f.name, k)
		}
	}
	return out, nil
}

func (n Normalise) mergedGroup(f field, old, sent any) (any, error) {
	in, ok := sent.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s must be an object", f.name)
	}
	out := map[string]any{}
	if was, ok := old.(map[string]any); ok {
		maps.Copy(out, was)
	}
	for _, part := range f.parts {
		switch v := in[part].(type) {
		case nil:
			if _, sent := in[part]; sent {
				delete(out, part)
			}
		case string:
			out[part] = n.cut(f.name+"."+part, v)
		default:
			return nil, fmt.Errorf("%s.%s must be a string", f.name, part)
		}
	}
	if first := f.parts[0]; f.required && textOf(out, first) == "" {
		return nil, fmt.Errorf("%s.%s is required", f.name, first)
	}
	return out, nil
}

var phoneCleaner = strings.NewReplacer(" ", "", "-", "")

func cleanPhone(text string) string { return phoneCleaner.Replace(text) }

func validPhone(clean string) bool {
	digits := strings.TrimPrefix(clean, "+")
	return len(digits) >= 3 && len(digits) <= 20 && strings.Trim(digits, "0123456789") == ""
}

func (s PhoneStyle) stored(text string) string {
	clean := cleanPhone(text)
	switch s {
	case PhoneAsSent:
		return text
	case PhoneSpaced:
		var groups []string
		for group := range slices.Chunk([]byte(clean), 3) {
			groups = append(groups, string(group))
		}
		return strings.Join(groups, " ")
	case PhoneClean:
	}
	return clean
}

func duplicateProblem(t Traits, r *resource, f field) *problem {
	if t.PublicNames && r.name == "contacts" && f.name == r.unique {
		return &problem{t.Duplicate, "duplicate", "A contact with this phone number already exists in your organization"}
	}
	if f.kind == refField {
		return &problem{http.StatusConflict, "duplicate", "a " + r.one + " with this " + f.name + " already exists"}
	}
	return &problem{t.Duplicate, "duplicate", "a " + r.one + " with this " + strings.ReplaceAll(f.name, "_", " ") + " already exists"}
}
