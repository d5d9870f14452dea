package signature

import "time"

// Keys are the keys of a scheme as they are written down, those that are left out empty.
type Keys struct {
	Preset       string // the scheme that they are laid over
	Header       string
	Prefix       *string
	Separator    string
	TimeKey      string
	TimeIn       string
	Millis       *bool
	IDIn         string
	Signed       string
	Hash         string
	Encoding     string
	SecretPrefix string
	Tolerance    time.Duration
	Token        *bool
}

// Over is a scheme with the keys laid over it.
func (k Keys) Over(s Scheme) Scheme {
	for key, text := range map[*string]string{
		&s.Header: k.Header, &s.Separator: k.Separator, &s.TimeKey: k.TimeKey, &s.TimeIn: k.TimeIn, &s.IDIn: k.IDIn,
		&s.Signed: k.Signed, &s.Hash: k.Hash, &s.Encoding: k.Encoding, &s.SecretPrefix: k.SecretPrefix,
	} {
		if text != "" {
			*key = text
		}
	}
	if k.Prefix != nil {
		s.Prefix = *k.Prefix
	}
	if k.Millis != nil {
		s.Millis = *k.Millis
	}
	if k.Token != nil {
		s.Token = *k.Token
	}
	if k.Tolerance != 0 {
		s.Tolerance = k.Tolerance
	}
	return s
}
