package rest

import (
	"nightporter/connectors"
	"nightporter/connectors/jsonx"
	"nightporter/sync/record"
)

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
