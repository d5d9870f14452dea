package e2e

import (
	"strings"
	"testing"
)

// A path with a number is read as an element of a list. It is never written, whatever the
// configuration says, and check says so before anything is sent.
func TestOutside05PathWithANumber(t *testing.T) {
	const phones = `[{"kind":"mobile","number":"+39 055 1"},{"kind":"home","number":"+39 055 2"}]`
	crm, h := newPlainHouse(t)
	h.edit("crm: phone,", "crm: phones.0.number,")
	crm.put(`{"id":"a","name":"Anna","phones":` + phones + `}`)
	if got := h.check(); !strings.Contains(got, "field phone: phones.0.number of crm can't be written (a number in a path is the place of an element in a list") ||
		!strings.Contains(got, "say to: pms") {
		t.Errorf("check says %q", got)
	}

	h.clubRun()
	if got := h.one(`SELECT phone FROM guests WHERE name = 'Anna'`); got != "+39 055 1" {
		t.Errorf("the PMS has %q, want the first of her phones", got)
	}
	h.exec(`UPDATE guests SET phone = '+39 055 9' WHERE name = 'Anna'`)
	h.exec(`INSERT INTO guests (name, phone) VALUES ('Bruno', '+39 055 3')`)
	h.clubRun()
	if got := crm.at("a", "phones"); got != phones {
		t.Errorf("the list of phones became %s", got)
	}
	for _, w := range crm.sent() {
		if strings.Contains(w, "phones") {
			t.Errorf("it was sent %s", w)
		}
	}

	h.edit("as: text }", "as: text, to: pms }")
	if got := h.check(); got != "" {
		t.Errorf("check of a mapping that only reads it says %q", got)
	}
	crm.put(`{"id":"c","name":"Carla","phones":` + phones + `}`)
	h.clubRun()
	if got := h.one(`SELECT phone FROM guests WHERE name = 'Carla'`); got != "+39 055 1" {
		t.Errorf("the PMS has %q, want the first of her phones", got)
	}
}

// So it is for what every new record is given, and for a preset's own paths.
func TestOutside05PathsOfAPreset(t *testing.T) {
	_, h := newPlainHouse(t)
	h.edit("    fields:", "    on_create: { crm: { tags.0: guest } }\n    fields:")
	if got := h.check(); !strings.Contains(got, "on_create: tags.0 of crm can't be written") {
		t.Errorf("check says %q", got)
	}
	for name, keys := range map[string]string{
		"create.names":  "    create: { names: { phone: phones.0.number } }\n",
		"create.body":   "    create: { body: people.0 }\n",
		"update.body":   "    update: { body: people.0 }\n",
		"stamp.field":   "    stamp: { field: notes.0.text }\n",
		"content.field": "    content: { field: files.0, send: base64 }\n",
	} {
		text := plainPreset + keys
		if section, _, _ := strings.Cut(name, "."); section == "create" || section == "update" {
			text = strings.Replace(plainPreset, "    "+section+": {}\n", keys, 1)
		}
		h.preset(text)
		if got := h.check(); !strings.Contains(got, "kinds.people."+name) || !strings.Contains(got, "elements can't be written") {
			t.Errorf("%s: check says %q", name, got)
		}
	}
}
