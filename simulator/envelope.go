package simulator

import (
	"strconv"
)

// envelope is what the body of a list calls its parts. "{}" is the path of the kind.
type envelope struct {
	parent string // key of the object around everything
	items  string // key of the rows; none: they are all that there is
	info   string // key of the object that tells of the list; none: beside the rows
	total  string
	more   string
	next   string
	limit  string
	place  string // of offset or page
}

var envelopes = map[ListBody]envelope{
	BodyData:       {items: "data", info: "meta", total: "total", more: "has_next", next: "next", limit: "limit", place: "offset"},
	BodyNested:     {parent: "data", items: "{}", info: "pagination", total: "total", more: "has_more", next: "next", limit: "limit", place: "offset"},
	BodyItems:      {items: "items", total: "total", more: "has_more", next: "pagination_key", limit: "limit"},
	BodyCollection: {items: "collection", info: "pagination", total: "total_count", more: "has_more", next: "next_page", limit: "count"},
	BodyNamed:      {items: "{}", info: "paging", total: "total_records", more: "hasMore", next: "next_page_url", limit: "page_size"},
	BodyResults:    {items: "results", info: "metadata", total: "totalItems", more: "hasNextPage", next: "nextCursor", limit: "itemsPerPage", place: "startIndex"},
	BodyByDate:     {items: "data"},
	BodyArray:      {}, BodyLines: {}, BodyDays: {},
}

// called puts the path of the kind in place of "{}".
func (e envelope) called(segment string) envelope {
	if e.items == "{}" {
		e.items = segment
	}
	return e
}

// body is a page of a list of one kind.
func (t Traits) body(form ListBody, segment string, p page) []byte {
	switch form { //nolint:exhaustive // the others have an envelope
	case BodyArray:
		return appendItems(nil, p.items)
	case BodyLines:
		var b []byte
		for _, item := range p.items {
			b = append(append(b, item...), '\n')
		}
		return b
	case BodyDays:
		return days(p)
	}
	e := envelopes[form].called(segment)
	b := append([]byte{'{'}, t.flag(true)...)
	if e.parent != "" {
		b = append(append(b, encode(e.parent)...), ":{"...)
	}
	if !p.shape.noList {
		b = append(append(b, encode(e.items)...), ':')
		if form == BodyByDate {
			b = appendByDate(b, p)
		} else {
			b = appendItems(b, p.items)
		}
		b = append(b, ',')
	}
	if e.info != "" {
		b = append(append(b, encode(e.info)...), ":{"...)
	}
	b = unfinished(t.appendInfo(b, e, p))
	if e.info != "" {
		b = append(b, '}')
	}
	if e.parent != "" {
		b = append(unfinished(b), '}')
	}
	return append(unfinished(b), '}')
}

// appendInfo adds what a page says of its list, each with a comma behind it.
func (t Traits) appendInfo(b []byte, e envelope, p page) []byte {
	total := p.total
	switch {
	case t.Total == TotalWrong, p.shape.totalWrong:
		total = -1
	case t.Total == TotalRough:
		total += 9 - total%10 + 1
	}
	if inBody := t.Total != TotalNone && t.Total != TotalHeader; inBody && e.total != "" && !p.shape.totalMissing {
		b = strconv.AppendInt(appendName(b, e.total), int64(total), 10)
		b = append(b, ',')
	}
	if e.limit != "" && !t.HideLimit {
		b = append(strconv.AppendInt(appendName(b, e.limit), int64(p.limit), 10), ',')
		if e.place != "" && !t.linked() {
			b = append(strconv.AppendInt(appendName(b, e.place), int64(p.offset), 10), ',')
		}
	}
	if e.next != "" && (t.Paging == ByCursor || t.Paging == ByNextLink) {
		switch {
		case p.next != "":
			b = append(append(appendName(b, e.next), encode(p.next)...), ',')
		case t.Next == NextNull:
			b = append(appendName(b, e.next), "null,"...)
		case t.Next == NextEmpty:
			b = append(appendName(b, e.next), `"",`...)
		}
	}
	if e.more != "" && !t.HideMore {
		b = append(strconv.AppendBool(appendName(b, e.more), p.more), ',')
	}
	return b
}

// linked tells whether the pages of lists name the one that follows.
func (t Traits) linked() bool {
	return t.Paging == ByCursor || t.Paging == ByNextLink || t.Paging == ByLinkHeader
}

func appendName(b []byte, name string) []byte {
	b = append(append(b, '"'), name...)
	return append(b, `":`...)
}

// unfinished takes a comma off that nothing follows.
func unfinished(b []byte) []byte {
	if b[len(b)-1] == ',' {
		return b[:len(b)-1]
	}
	return b
}

// flag is the truth value that an answer begins with, with a comma behind it.
func (t Traits) flag(ok bool) []byte {
	switch t.Flag {
	case "-":
		return nil
	case "":
		return append(strconv.AppendBool([]byte(`"ok":`), ok), ',')
	}
	return append(strconv.AppendBool(appendName(nil, t.Flag), ok), ',')
}

// single is the body of one record, called one.
func (t Traits) single(one string, item []byte) []byte {
	switch t.Single {
	case SingleBare:
		return item
	case SingleNamed:
		return concat("{", t.flag(true), encode(one), ":", item, "}")
	case SingleData:
	}
	return concat("{", t.flag(true), `"data":`, item, "}")
}

// each calls f with every stretch of rows that begin on the same day.
func (p page) each(f func(day string, items [][]byte)) {
	for from := 0; from < len(p.items); {
		to := from + 1
		for to < len(p.items) && p.days[to] == p.days[from] {
			to++
		}
		f(p.days[from], p.items[from:to])
		from = to
	}
}

func appendByDate(b []byte, p page) []byte {
	b = append(b, '{')
	p.each(func(day string, items [][]byte) {
		b = append(appendItems(appendName(b, day), items), ',')
	})
	return append(unfinished(b), '}')
}

func days(p page) []byte {
	b := []byte{'['}
	p.each(func(day string, items [][]byte) {
		b = append(append(b, `{"date":`...), encode(day)...)
		b = append(appendItems(append(b, `,"events":`...), items), "},"...)
	})
	return append(unfinished(b), ']')
}
