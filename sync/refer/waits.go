package refer

import (
	"nightporter/sync/record"
)

// MarkLeftOut is the value of a reference to a record that has no entity. It names
// the record, so that another one is another value.
func MarkLeftOut(id string) record.Value {
	return record.OfMap(map[string]record.Value{"left_out": record.OfText(id)})
}

func waitFor(place record.Place, ref record.Ref) record.Wait {
	return record.Wait{Binding: place.Binding, Side: place.Side, Ref: ref}
}
