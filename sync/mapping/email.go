package mapping

import (
	"nightporter/sync/mapping/email"
	"nightporter/sync/record"
)

func readEmail(_ spot, v record.Value) (record.Value, note) {
	s, n := scalar(v)
	if n.bad() {
		return record.Value{}, n
	}
	addr, ok := email.Parse(clean(s))
	if !ok {
		return record.Value{}, note{code: BadEmail, text: "not one e-mail address such as name@example.com"}
	}
	return record.OfText(addr), note{}
}
