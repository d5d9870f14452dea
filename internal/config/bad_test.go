package config

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// edit is one wrong edit of the base, and what is said about it.
type edit struct {
	name string
	edit []string
	env  []string
	want []string
}

func TestBad(t *testing.T) {
	for _, tt := range slices.Concat(badEdits(), badWebhooks(), badEvents(), badSend(), badProxies()) {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("config.yaml", []byte(changed(t, tt.edit...)), tt.env)
			errs, ok := errors.AsType[*Errors](err)
			if !ok {
				t.Fatalf("Parse: got %v, want *Errors", err)
			}
			var got []string
			for _, m := range errs.List {
				got = append(got, m.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("mistakes (-want +got):\n%s", diff)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the secret is in the error:\n%v", err)
			}
		})
	}
}
