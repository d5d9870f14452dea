package entries

import (
	"encoding/json"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// observation is a record.Observation as the column seen holds it.
type observation struct {
	Fields  record.Fields  `json:"f"`
	Version record.Version `json:"v,omitempty"`
	Changed sqlite.Moment  `json:"c,omitempty"`
	Created sqlite.Moment  `json:"n,omitempty"`
	Stamp   string         `json:"s,omitempty"`
	At      sqlite.Moment  `json:"a"`
	View    string         `json:"w,omitempty"`
	Untaken untaken        `json:"u,omitempty"`
	Earlier []string       `json:"e,omitempty"`
}

func encodeSeen(o *record.Observation) (any, error) {
	if o == nil {
		return nil, nil //nolint:nilnil // NULL is a value here
	}
	return sqlite.Encode(observation{
		Fields: o.Fields, Version: o.Version, Changed: sqlite.MomentOf(o.Changed), Created: sqlite.MomentOf(o.Created),
		Stamp: o.Stamp, At: sqlite.MomentOf(o.At), View: o.View, Untaken: untaken(o.Untaken), Earlier: o.Earlier,
	})
}

func decodeSeen(text string) (*record.Observation, error) {
	var o observation
	if err := sqlite.Decode(text, &o); err != nil {
		return nil, err
	}
	return &record.Observation{
		Fields: o.Fields, Version: o.Version, Changed: o.Changed.Time(), Created: o.Created.Time(),
		Stamp: o.Stamp, At: o.At.Time(), View: o.View, Untaken: o.Untaken.of(o.Fields), Earlier: o.Earlier,
	}, nil
}

// encodeBase keeps nil and empty apart: nil is NULL.
func encodeBase(b record.Base) (any, error) {
	if b == nil {
		return nil, nil //nolint:nilnil // NULL is a value here
	}
	return sqlite.Encode(b)
}

// untaken is Observation.Untaken as the column seen holds it. In older state files it is a list of paths.
type untaken record.Fields

// UnmarshalJSON reads both forms; of a list it keeps the paths, without values.
func (u *untaken) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '[' {
		return json.Unmarshal(b, (*record.Fields)(u))
	}
	var paths []string
	if err := json.Unmarshal(b, &paths); err != nil {
		return err
	}
	*u = untaken{}
	for _, p := range paths {
		(*u)[p] = record.Value{}
	}
	return nil
}

// of fills in the values that a list of paths did not keep: each path gets the value that was shown there.
func (u untaken) of(shown record.Fields) record.Fields {
	for p, v := range u {
		if !v.Observed() {
			u[p] = shown[p]
		}
	}
	return record.Fields(u)
}
