package rest

import (
	"encoding/json"

	"nightporter/connectors"
	"nightporter/connectors/jsonx"
	"nightporter/sync/record"
)

// away is the error for a record that is only shown to say that it is not there any more:
// it was merged into another one, or deleted. Nil for all others.
func (k *kind) away(a any, op string) error {
	if err := k.mergedInto(a, op); err != nil {
		return err
	}
	return k.deletedThere(a, op)
}

// mergedInto is the error for a record that shows that it was merged into another one,
// nil for all others.
func (k *kind) mergedInto(a any, op string) error {
	if k.merged == nil {
		return nil
	}
	v, _ := jsonx.At(a, k.merged)
	to := idOf(v)
	own, _ := jsonx.At(a, k.id)
	if to == "" || to == idOf(own) {
		return nil
	}
	return &connectors.Error{Class: connectors.Moved, Op: op, Ref: record.Ref{Kind: k.name, ID: to}}
}

// deletedThere is the error for a record that shows that it was deleted, nil for all others.
// One that shows neither a time nor a yes or no there can't be read.
func (k *kind) deletedThere(a any, op string) error {
	if k.deleted == nil {
		return nil
	}
	own, _ := jsonx.At(a, k.id)
	ref := record.Ref{Kind: k.name, ID: idOf(own)}
	v, _ := jsonx.At(a, k.deleted)
	yes := false
	switch v := v.(type) {
	case nil:
	case bool:
		yes = v
	case json.Number:
		yes = connectors.SaysDeleted(v.String())
	case string:
		yes = connectors.SaysDeleted(v)
	default:
		err := connectors.Wrong(connectors.Malformed, op, "%s is neither a time nor a yes or no", k.deleted)
		err.Ref = ref
		return err
	}
	if !yes {
		return nil
	}
	err := connectors.Wrong(connectors.NotFound, op, "the record shows at %s that it was deleted", k.deleted)
	err.Ref = ref
	return err
}
