package config

import "path/filepath"

// RequestKind is the kind that a system of type requests has.
const RequestKind = "calls"

// requests is the file of what was asked for, with the one table that is made in it.
func (b *builder) requests(r rawSystem, at []string) *SQL {
	address := b.abs(r.Address)
	if r.Address == "" {
		address = filepath.Join(filepath.Dir(b.cfg.State), "requests-"+at[len(at)-1]+".db")
	}
	return &SQL{Address: address, TLS: TLSOff, Tables: []Table{{
		Kind: RequestKind, Line: b.all.line(at...), Table: RequestKind, Key: []string{"id"},
	}}}
}
