package simulator

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
)

// dialect is an API made ready: its traits with every default filled in, its kinds
// of records, and what no trait can say.
type dialect struct {
	traits    Traits
	resources []*resource
	reference string // name of the field that carries a caller's reference
	created   bool   // created_at is shown
	updated   bool   // updated_at is shown
	challenge string // WWW-Authenticate of a 401
	body      func(r *resource, p page) []byte
	fail      func(p problem) answer
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
	days          []string // on which the stays begin, of grouped lists
	total         int
	limit, offset int
	more          bool
	next          string // cursor of the next page, or the link to it
	shape         *shape
}

func dialectOf(o Options) dialect {
	if o.Traits != nil {
		return o.Traits.dialect(o)
	}
	if o.Dialect == DialectCRM {
		return crmDialect(o)
	}
	t, _ := TraitsOf(o.Dialect)
	return t.dialect(o)
}

// withDefaults fills in what the zero value leaves to the platform.
func (t Traits) withDefaults() Traits {
	t.Prefix = cmp.Or(t.Prefix, "/external/v1")
	t.Stays = cmp.Or(t.Stays, "reservations")
	t.IDField = cmp.Or(t.IDField, "id")
	t.LimitParam = cmp.Or(t.LimitParam, "limit")
	t.PlaceParam = cmp.Or(t.PlaceParam, map[Paging]string{ByOffset: "offset", ByPage: "page"}[t.Paging], "cursor")
	t.DefaultLimit, t.MaxLimit = cmp.Or(t.DefaultLimit, 10), cmp.Or(t.MaxLimit, 100)
	t.StaysBody = cmp.Or(t.StaysBody, t.Body)
	t.Beyond = cmp.Or(t.Beyond, http.StatusOK)
	t.WindowFrom, t.WindowTo = cmp.Or(t.WindowFrom, "start_date"), cmp.Or(t.WindowTo, "end_date")
	t.Duplicate, t.Invalid = cmp.Or(t.Duplicate, http.StatusBadRequest), cmp.Or(t.Invalid, http.StatusBadRequest)
	t.Throttled = cmp.Or(t.Throttled, http.StatusTooManyRequests)
	return t
}

func (t Traits) dialect(o Options) dialect {
	t = t.withDefaults()
	times := o.ShowTimes || t.Times != TimesHidden
	d := dialect{traits: t, reference: "external_id", created: times, updated: times, fail: t.refusal}
	d.body = func(r *resource, p page) []byte { return t.body(r.listBody(t), r.segment, p) }
	if t.Key == KeyBearer {
		d.challenge = "Bearer"
	}
	contacts, reservations := contactResource(), reservationResource()
	if t.PublicNames {
		contacts.fields = publicContact()
	}
	reservations.segment = t.Stays
	if o.Reference != ReferenceNone {
		contacts.fields = append(contacts.fields, field{name: d.reference, kind: refField})
		reservations.fields = append(reservations.fields, field{name: d.reference, kind: refField})
	}
	d.resources = []*resource{contacts, reservations}
	if t.Calls != "" {
		d.resources = append(d.resources, callResource(t.Calls))
	}
	if t.Orders != "" {
		d.resources = append(d.resources, orderResource(t))
	}
	if t.Uploads != UploadNone {
		d.resources = append(d.resources, documentResource())
	}
	return d
}

// listBody is the body of the lists of a kind.
func (r *resource) listBody(t Traits) ListBody {
	if r.window != nil {
		return t.StaysBody
	}
	return t.Body
}

func crmDialect(o Options) dialect {
	d := Traits{
		Prefix: "/api/v2", Key: KeyHeader, Single: SingleBare, Flag: "-", Paging: ByCursor, PlaceParam: "after",
		Update: UpdatePatch, Invalid: http.StatusUnprocessableEntity, Times: TimesRFC3339, Since: "updated_since",
	}.dialect(o)
	d.reference, d.created, d.resources = "external_ref", false, []*resource{peopleResource()}
	d.body = crmPage
	d.fail = func(p problem) answer {
		body := concat(`{"errors":[{"code":`, encode(p.code), `,"message":`, encode(p.text), `}]}`)
		return answer{status: p.status, header: jsonHeader(), body: body}
	}
	return d
}

const keyParam = "api_key"

// key is the key that a request shows.
func (t Traits) key(c *call) string {
	switch t.Key {
	case KeyHeader:
		return c.header.Get("X-Api-Key")
	case KeyQuery:
		return c.query.Get(keyParam)
	case KeyBasic:
		r := http.Request{Header: c.header}
		_, key, _ := r.BasicAuth()
		return key
	case KeyBearer:
	}
	key, ok := strings.CutPrefix(c.header.Get("Authorization"), "Bearer ")
	if !ok {
		return ""
	}
	return key
}

func crmPage(_ *resource, p page) []byte {
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
