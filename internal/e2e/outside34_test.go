package e2e

import (
	"strings"
	"testing"
)

// A field that goes to a path which the preset calls read only is refused by check, before
// any system is asked, and not by the system, record by record.
func TestOutside34FieldThatIsReadOnly(t *testing.T) {
	for name, tt := range map[string]struct{ preset, crm, to, want string }{
		"one way":            {"read_only: [id, phone]", "phone", ", to: crm", "field phone: phone of crm can't be written (the preset calls it read only)"},
		"both ways":          {"read_only: [id, phone]", "phone", "", "field phone: phone of crm can't be written"},
		"below what is":      {"read_only: [id, contact]", "contact.phone", ", to: crm", "field phone: contact.phone of crm can't be written"},
		"beside fields":      {"read_only: [phone]\n    fields: { id: {}, name: {}, phone: {} }", "phone", ", to: crm", "field phone: phone of crm can't be written"},
		"no field of theirs": {"fields: { id: { read_only: true }, name: {} }", "phone", ", to: crm", "field phone: people of crm has no phone"},
		"only read":          {"read_only: [id, phone]", "phone", ", to: pms", ""},
		"written below":      {"read_only: [id, contact.zip]", "contact.phone", ", to: crm", ""},
	} {
		t.Run(name, func(t *testing.T) {
			crm, h := newPlainHouse(t)
			h.preset(strings.Replace(plainPreset, "read_only: [id]", tt.preset, 1))
			h.edit("crm: phone,", "crm: "+tt.crm+",")
			h.edit("as: text }", "as: text"+tt.to+" }")
			if got := h.check(); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("check says %q, want %q", got, tt.want)
			}
			if got := wrongOf(h.online().Findings); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("check --online says %q, want %q", got, tt.want)
			}
			if sent := crm.sent(); len(sent) != 0 {
				t.Errorf("a check wrote %v", sent)
			}
		})
	}
}

// A field below one that the preset names may be written: check and the write agree.
func TestOutside34FieldBelowANamedOne(t *testing.T) {
	crm, h := newPlainHouse(t)
	h.preset(plainPreset + "    fields: { id: {}, name: {}, contact: {} }\n")
	h.edit("crm: phone,", "crm: contact.phone,")
	if got := h.check() + wrongOf(h.online().Findings); got != "" {
		t.Errorf("check says %q", got)
	}
	h.exec(`INSERT INTO guests (name, phone) VALUES ('Anna', '1')`)
	h.clubRun()
	if got := crm.at("p1", "contact"); got != `{"phone":"1"}` {
		t.Errorf("the CRM has %s", got)
	}
}
