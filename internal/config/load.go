package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/v2"
)

// Load reads the configuration at path and lays over it the variables of environ
// (as os.Environ gives them) that are named NIGHTPORTER__ and the keys, with two
// underscores between them: NIGHTPORTER__systems__pms__address. Every mistake is
// found at once: the error is an *Errors.
func Load(path string, environ []string) (*Config, error) {
	data, err := readFile(path)
	if err != nil {
		cause := err
		if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
			cause = pathErr.Err
		}
		return nil, &Errors{List: []Mistake{{File: path, Text: "read config: " + cause.Error(), Err: err}}}
	}
	return Parse(path, data, environ)
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path) //nolint:gosec // the path is the administrator's own
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxSize+1))
}

// LoadSystems is Load for who looks at systems alone: jobs are neither needed nor looked
// at, and neither are the tables, the files and the house's clock.
func LoadSystems(path string, environ []string) (*Config, error) {
	data, err := readFile(path)
	if err != nil {
		return Load(path, environ) // which says what is wrong
	}
	return parsed(path, data, environ, true)
}

// Parse is Load for a file that has been read: path names it in messages, and its
// folder is what relative paths begin at.
func Parse(path string, data []byte, environ []string) (*Config, error) {
	return parsed(path, data, environ, false)
}

// LoadDespite is Load for who must act though the configuration has mistakes, such as to
// stop all writes. What could be understood is in the Config: TimeZone may be nil, and
// State is empty where the file names it and that can't be read. The error is for a file
// that can't be read at all.
func LoadDespite(path string, environ []string) (*Config, *Errors, error) {
	data, err := readFile(path)
	if err != nil {
		_, err = Load(path, environ) // which says what is wrong
		return nil, nil, err
	}
	cfg, mistakes := built(path, data, environ, false)
	if cfg == nil {
		cfg = &Config{Path: path}
	}
	if len(mistakes) > 0 {
		return cfg, &Errors{List: mistakes}, nil
	}
	return cfg, nil, nil
}

func parsed(path string, data []byte, environ []string, bare bool) (*Config, error) {
	cfg, mistakes := built(path, data, environ, bare)
	if len(mistakes) > 0 {
		return nil, &Errors{List: mistakes}
	}
	return cfg, nil
}

// built makes a Config of a file, with its mistakes in their order. It is nil where
// nothing could be understood.
func built(path string, data []byte, environ []string, bare bool) (*Config, []Mistake) {
	file, mistake := parseTree(path, data)
	if mistake != nil {
		return nil, []Mistake{*mistake}
	}
	over, mistakes := envTree(file, environ)
	b := &builder{all: layers{file: file, env: over}, list: mistakes, gone: map[string]bool{}, bare: bare}
	for _, t := range []*tree{file, over} {
		w := walker{tree: t, all: b.all, gone: b.gone}
		w.check(t.root, typeConfig, nil)
		b.list = append(b.list, w.mistakes...)
	}
	var raw rawConfig
	if err := decode(file, over, &raw); err != nil {
		sortMistakes(b.list)
		return nil, append(b.list, unforeseen(path, err))
	}
	cfg := b.config(path, raw)
	if b.wasThere([]string{"state"}) {
		cfg.State = ""
	}
	sortMistakes(b.list)
	sortMistakes(cfg.Warnings)
	cfg.Text = textOf(file, over)
	return cfg, b.list
}

// decode lays the layers over each other, which by now hold nothing that doesn't
// belong.
func decode(file, over *tree, raw *rawConfig) error {
	var values map[string]any
	if err := file.root.Decode(&values); err != nil {
		return err
	}
	ko := koanf.New(delim)
	if err := ko.Load(confmap.Provider(values, ""), nil); err != nil {
		return err
	}
	paths := map[string]string{}
	for path, name := range over.env {
		paths[name] = path
	}
	var names []string
	for name := range paths {
		names = append(names, name+"=")
	}
	provider := env.Provider(delim, env.Opt{
		Prefix:      envPrefix,
		EnvironFunc: func() []string { return names },
		TransformFunc: func(name, _ string) (string, any) {
			_, node := over.at(strings.Split(paths[name], delim))
			var value any
			if node == nil || node.Decode(&value) != nil {
				return "", nil
			}
			return paths[name], value
		},
	})
	if err := ko.Load(provider, nil); err != nil {
		return err
	}
	return ko.UnmarshalWithConf("", raw, koanf.UnmarshalConf{Tag: "koanf", DecoderConfig: strict()})
}

// into decodes a part that could only be understood after the rest.
func into(value, target any) error {
	conf := strict()
	conf.Result = target
	dec, err := mapstructure.NewDecoder(conf)
	if err != nil {
		return err
	}
	return dec.Decode(value)
}

// unforeseen is what the check against the raw types should have caught. The
// decoder's own words may quote a secret, so only its kind is told.
func unforeseen(path string, err error) Mistake {
	return Mistake{File: path, Text: fmt.Sprintf("not decodable (%T): report this with your file, without its secrets", err)}
}
