package plan

import (
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/record"
)

// Limits says which contents, such as files, a side accepts.
type Limits struct {
	MaxBytes int64    // 0: no limit known
	Media    []string // media types; empty: any
}

// unfitContent says why the content of a record can't be given to the side that lacks the record, "" where it can.
// That is known before a byte of the content is sent.
func unfitContent(r Rules, have Side, from record.Side) (field, why string) {
	to := r.Kinds[from.Other()]
	for _, rule := range r.Merge {
		b, ok := have.Now[rule.Field].Body()
		if !ok || !mayWrite(rule.To, from.Other()) {
			continue
		}
		for _, p := range r.Mapping.Outputs(from.Other(), rule.Field) {
			if why := to.Contents[p].refuse(b); why != "" {
				return rule.Field, fmt.Sprintf("its %s can't be given to %s, which takes %s", rule.Field, to.System, why)
			}
		}
	}
	return "", ""
}

// refuse says what is accepted instead of a content, "" where the content itself is accepted.
func (l Limits) refuse(b record.Body) string {
	switch {
	case l.MaxBytes > 0 && b.Size > l.MaxBytes:
		return fmt.Sprintf("%s at most, and this is %s", Bytes(l.MaxBytes), Bytes(b.Size))
	case len(l.Media) > 0 && !slices.Contains(l.Media, b.Media):
		return fmt.Sprintf("%s, and this is %s", strings.Join(l.Media, ", "), b.Media)
	}
	return ""
}

// Bytes is a size as people read it.
func Bytes(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f kB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}
