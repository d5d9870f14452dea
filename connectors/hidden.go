package connectors

import (
	"errors"
	"fmt"
	"strings"

	"nightporter/sync/record"
)

// Hidden is what is to be sent of a record besides what a read by id shows of it, where it is sent
// whole: what other reads showed, and this one does not. It fails where they are of another version,
// or of none: the record would be sent without it, or with what somebody may have changed since.
func Hidden(ch record.Change, version record.Version, shown func(path string) bool) (record.Fields, error) {
	out := record.Fields{}
	for _, p := range ch.Beside.Fields.Names() {
		if _, sent := ch.Fields[p]; !sent && !shown(p) {
			out[p] = ch.Beside.Fields[p]
		}
	}
	sealed := false
	for _, v := range out {
		sealed = sealed || v.Sealed()
	}
	if len(out) == 0 || ch.Beside.Version != "" && ch.Beside.Version == version && !sealed {
		return out, nil
	}
	return nil, fmt.Errorf("%w: %s", errHidden, strings.Join(out.Names(), ", "))
}

// errHidden is why a record is not sent whole.
var errHidden = errors.New("the record is sent whole, and its read by id hides what its list shows: sent without it, this would be emptied")
