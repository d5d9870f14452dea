package guards

import (
	"nightporter/sync/record"
	"nightporter/sync/run"
)

func requestOf(in record.Intent, digest func(record.Fields) record.Digest) run.Request {
	q := run.Request{Run: in.Run, At: in.EndedAt, What: digest(in.Change.Fields)}
	if in.Link == 0 {
		return q
	}
	q.Values = byPath(in.Change.Fields, digest)
	return q
}

// byPath returns a digest of each value, by its path.
func byPath(f record.Fields, digest func(record.Fields) record.Digest) map[string]record.Digest {
	out := make(map[string]record.Digest, len(f))
	for p, v := range f {
		out[p] = digest(record.Fields{p: v})
	}
	return out
}
