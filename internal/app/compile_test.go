package app

import (
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/internal/config"
	"nightporter/sync/engine"
)

// Digests are refused where a record can't be asked for again.
func TestDigestsNeedReadsByID(t *testing.T) {
	read := engine.Side{System: "pms", Kind: "guests", Can: connectors.Kind{Get: true}}
	listed := engine.Side{System: "crm", Kind: "people"}
	for _, tt := range []struct {
		keep  config.KeepValues
		right engine.Side
		want  string
	}{
		{config.KeepDigest, listed, "people of crm can't"},
		{config.KeepDigest, read, ""},
		{config.KeepPlain, listed, ""},
	} {
		err := digests(&config.Job{KeepValues: tt.keep}, &engine.Job{Sides: [2]engine.Side{read, tt.right}})
		if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.keep, err, tt.want)
		}
	}
}
