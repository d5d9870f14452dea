package simulator

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// dialect is what differs between the APIs beyond the records themselves.
type dialect struct {
	prefix    string
	resources []*resource
	reference string // name of the field that carries a caller's reference
	cursor    bool   // lists page by cursor, not by offset
	put       bool   // PUT is offered beside PATCH
	created   bool   // created_at is shown
	updated   bool   // updated_at is shown
	invalid   int    // status of a body that breaks a rule
	challenge string // WWW-Authenticate of a 401
	key       func(http.Header) string
	single    func(item []byte) []byte
	page      func(p page) []byte
	fail      func(p problem) []byte
}

// problem is an answer that says no.
type problem struct {
	status int
	code   string
	text   string
}

// page is one page of a list before it is put in its envelope.
type page struct {
	items         [][]byte
	total         int
	limit, offset int
	more          bool
	next          string // cursor of the next page
	shape         *shape
}

func dialectOf(o Options) dialect {
	if o.Dialect == DialectCRM {
		return crmDialect()
	}
	return platformDialect(o)
}

func platformDialect(o Options) dialect {
	d := dialect{
		prefix: "/external/v1", reference: "external_id", put: true, created: o.ShowTimes, updated: o.ShowTimes,
		invalid: http.StatusBadRequest, challenge: "Bearer",
		key: func(h http.Header) string {
			key, ok := strings.CutPrefix(h.Get("Authorization"), "Bearer ")
			if !ok {
				return ""
			}
			return key
		},
		single: func(item []byte) []byte { return concat(`{"ok":true,"data":`, item, `}`) },
		page:   platformPage,
		fail: func(p problem) []byte {
			return concat(`{"ok":false,"error":`, encode(p.text), `}`)
		},
	}
	contacts, reservations := contactResource(), reservationResource()
	if o.Reference != ReferenceNone {
		contacts.fields = append(contacts.fields, field{name: d.reference, kind: refField})
		reservations.fields = append(reservations.fields, field{name: d.reference, kind: refField})
	}
	d.resources = []*resource{contacts, reservations}
	return d
}

func crmDialect() dialect {
	return dialect{
		prefix: "/api/v2", reference: "external_ref", cursor: true, updated: true,
		invalid:   http.StatusUnprocessableEntity,
		resources: []*resource{peopleResource()},
		key:       func(h http.Header) string { return h.Get("X-Api-Key") },
		single:    func(item []byte) []byte { return item },
		page:      crmPage,
		fail: func(p problem) []byte {
			return concat(`{"errors":[{"code":`, encode(p.code), `,"message":`, encode(p.text), `}]}`)
		},
	}
}

func platformPage(p page) []byte {
	b := []byte(`{"ok":true`)
	if !p.shape.noList {
		b = append(b, `,"data":`...)
		b = appendItems(b, p.items)
	}
	b = append(b, `,"meta":{`...)
	if p.shape.totalWrong {
		p.total = -1
	}
	if !p.shape.totalMissing {
		b = append(b, `"total":`...)
		b = strconv.AppendInt(b, int64(p.total), 10)
		b = append(b, ',')
	}
	b = append(b, `"limit":`...)
	b = strconv.AppendInt(b, int64(p.limit), 10)
	b = append(b, `,"offset":`...)
	b = strconv.AppendInt(b, int64(p.offset), 10)
	b = append(b, `,"has_next":`...)
	b = strconv.AppendBool(b, p.more)
	return append(b, `}}`...)
}

func crmPage(p page) []byte {
	b := []byte(`{`)
	if !p.shape.noList {
		b = append(b, `"results":`...)
		b = appendItems(b, p.items)
		b = append(b, ',')
	}
	b = append(b, `"paging":{`...)
	if p.more {
		b = append(b, `"next":{"after":`...)
		b = append(b, encode(p.next)...)
		b = append(b, '}')
	}
	return append(b, `}}`...)
}

func appendItems(b []byte, items [][]byte) []byte {
	b = append(b, '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, item...)
	}
	return append(b, ']')
}

func concat(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			b = append(b, p...)
		case []byte:
			b = append(b, p...)
		}
	}
	return b
}

// encode renders a value that is known to have a JSON form.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return b
}
