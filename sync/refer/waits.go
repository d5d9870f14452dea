package refer

import (
	"nightporter/sync/record"
)

// MarkLeftOut returns the value of a reference to a record that has no entity. The value names that record, so that
// references to two such records have different values.
func MarkLeftOut(id string) record.Value {
	return record.OfMap(map[string]record.Value{"left_out": record.OfText(id)})
}

func waitFor(place record.Place, ref record.Ref) record.Wait {
	return record.Wait{Binding: place.Binding, Side: place.Side, Ref: ref}
}
