package plan

import (
	"fmt"
	"slices"

	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// A system may change a status by requests of its own, one for each word. Such a request may take other fields
// along, such as the reason of a cancel. And a create may take no status at all.

// NeverChanges says why a record of a kind can't be changed, or nothing of it but its status.
func (k Kind) NeverChanges() string {
	if k.Status != "" {
		return fmt.Sprintf("%s can change %s of %s, and nothing else of it", k.System, k.Status, k.Kind)
	}
	return fmt.Sprintf("%s can't change %s", k.System, k.Kind)
}

// along returns the native paths that the request for a new status takes along. natives has the values to be
// written, by field. It returns nil where no status is among them, or where the record, has, shows that status
// already: then there is no such request.
func (k Kind) along(natives map[string]record.Fields, has record.Fields) []string {
	for _, native := range natives {
		if v := native[k.Status]; k.Status != "" && v.Observed() && !v.Equal(has[k.Status]) {
			return k.Carries[v.Text()]
		}
	}
	return nil
}

func allOf(native record.Fields, paths []string) bool {
	for p := range native {
		if !slices.Contains(paths, p) {
			return false
		}
	}
	return true
}

// fixed reports whether one of the native values can't be written by an update.
func (k Kind) fixed(native record.Fields) bool {
	for p := range native {
		if k.Updates != nil && p != k.Status && !slices.Contains(k.Updates, p) {
			return true
		}
	}
	return false
}

// notNew reports whether no create on side takes a field.
func (k Kind) notNew(r Rules, side record.Side, field string) bool {
	return slices.ContainsFunc(r.Mapping.Outputs(side, field), func(p string) bool { return slices.Contains(k.NotNew, p) })
}

// Untold returns the fields that a new record was not given because no create takes them, and in which it does
// not show the value of the record across. shown is the new record, across the one it was made from. A consent is
// left out: a system that asks its guest first is right to.
func Untold(r Rules, side record.Side, across, shown record.Fields) (fields []string) {
	if len(r.Kinds[side].NotNew) == 0 {
		return nil
	}
	want, _ := r.Mapping.Read(side.Other(), across)
	holds, _ := r.Mapping.Read(side, shown)
	for _, rule := range r.Merge {
		if rule.Policy == merge.Consent || rule.Once || !mayWrite(rule.To, side) || r.IsReference(rule.Field) || !r.Kinds[side].notNew(r, side, rule.Field) {
			continue
		}
		if w := want[rule.Field]; w.Filled() && !w.Equal(holds[rule.Field]) {
			fields = append(fields, rule.Field)
		}
	}
	return fields
}
