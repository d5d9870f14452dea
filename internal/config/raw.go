package config

import (
	"reflect"
	"strings"

	"github.com/go-viper/mapstructure/v2"
)

// The raw types are the file, key by key. They are the one list of what is
// accepted: the tree is checked against them and koanf decodes into them.

type rawConfig struct {
	TimeZone string               `koanf:"time_zone"`
	State    string               `koanf:"state"`
	Systems  map[string]rawSystem `koanf:"systems"`
	Privacy  rawPrivacy           `koanf:"privacy"`
	Jobs     map[string]rawJob    `koanf:"jobs"`
	FirstRun string               `koanf:"first_run"`
	Guards   rawGuards            `koanf:"guards"`
	Keep     *Duration            `koanf:"keep"`
	Settle   *Duration            `koanf:"settle"`
	Backup   *rawBackup           `koanf:"backup"`
	Listen   string               `koanf:"listen"`
	Grace    *Duration            `koanf:"grace"`

	Events map[string]rawDestination `koanf:"events"`
}

type rawDestination struct {
	URL       string            `koanf:"url"`
	Secret    words             `koanf:"secret"`
	Signature *rawSignature     `koanf:"signature"`
	About     words             `koanf:"about"`
	Jobs      words             `koanf:"jobs"`
	Fields    words             `koanf:"fields"`
	Body      string            `koanf:"body"`
	Method    string            `koanf:"method"`
	Headers   map[string]string `koanf:"headers"`
}

type rawBackup struct {
	To   string `koanf:"to"`
	At   string `koanf:"at"`
	Keep *int   `koanf:"keep"`
}

type rawPrivacy struct {
	Blank *words `koanf:"blank"`
}

type rawGuards struct {
	Creates *rawLimit `koanf:"creates"`
	Fills   *rawLimit `koanf:"fills"`
	Updates *rawLimit `koanf:"updates"`
	Clears  *rawLimit `koanf:"clears"`
	Cancels *rawLimit `koanf:"cancels"`
	Deletes *rawLimit `koanf:"deletes"`
	Changed *percent  `koanf:"changed"`
	Shrink  *percent  `koanf:"shrink"`
	Unshown *percent  `koanf:"unshown"`
}

type rawSystem struct {
	Type     string    `koanf:"type"`
	PageSize *int      `koanf:"page_size"`
	Settle   *Duration `koanf:"settle"`
	Quiet    words     `koanf:"quiet"`

	Webhooks *rawWebhooks `koanf:"webhooks"`

	Preset       string         `koanf:"preset"`
	BaseURL      string         `koanf:"base_url"`
	Prefix       *string        `koanf:"prefix"`
	Key          string         `koanf:"key"`
	Proxy        string         `koanf:"proxy"`
	Timeout      *Duration      `koanf:"timeout"`
	MaxPerMinute *int           `koanf:"max_per_minute"`
	Limits       *rawLimits     `koanf:"limits"`
	Concurrency  *int           `koanf:"concurrency"`
	Reserve      *share         `koanf:"booking_reserve"`
	Override     map[string]any `koanf:"override"`

	Address  string              `koanf:"address"`
	User     string              `koanf:"user"`
	Password string              `koanf:"password"`
	TLS      string              `koanf:"tls"`
	Tables   map[string]rawTable `koanf:"tables"`

	Folder string             `koanf:"folder"`
	Files  map[string]rawFile `koanf:"files"`

	Include      words                  `koanf:"include"`
	Exclude      words                  `koanf:"exclude"`
	Language     string                 `koanf:"language"`
	Tags         words                  `koanf:"tags"`
	ByPath       []rawByPath            `koanf:"by_path"`
	UnchangedFor *Duration              `koanf:"unchanged_for"`
	Documents    map[string]rawDocument `koanf:"documents"`
}

type rawFile struct {
	File         string    `koanf:"file"`
	Several      string    `koanf:"several"`
	Format       string    `koanf:"format"`
	Encoding     string    `koanf:"encoding"`
	Separator    string    `koanf:"separator"`
	Key          words     `koanf:"key"`
	KeyDigest    words     `koanf:"key_digest"`
	OurMark      string    `koanf:"our_mark"`
	Write        string    `koanf:"write"`
	Formulas     string    `koanf:"formulas"`
	MayBeEmpty   *bool     `koanf:"may_be_empty"`
	OpenEnd      *bool     `koanf:"open_end"`
	Done         string    `koanf:"done"`
	Unfinished   words     `koanf:"unfinished"`
	UnchangedFor *Duration `koanf:"unchanged_for"`
	StaleAfter   *Duration `koanf:"stale_after"`
	MaxMB        *int      `koanf:"max_mb"`
	MaxRows      *int      `koanf:"max_rows"`
}

type rawWebhooks struct {
	Listen    string            `koanf:"listen"`
	PublicURL string            `koanf:"public_url"`
	Secret    words             `koanf:"secret"`
	Signature *rawSignature     `koanf:"signature"`
	Places    rawPlaces         `koanf:"places"`
	Kinds     map[string]string `koanf:"kinds"`
	PerSecond *int              `koanf:"per_second"`
	MaxBody   *int              `koanf:"max_body"`
	Subscribe *rawSubscribe     `koanf:"subscribe"`
}

// rawSubscribe is a block, or its events alone where that is one word.
type rawSubscribe struct {
	Events  words     `koanf:"events"`
	Rotate  *Duration `koanf:"rotate"`
	Overlap *Duration `koanf:"overlap"`
	Check   *Duration `koanf:"check"`
}

// rawSignature is a preset's name, or the keys of a scheme, laid over a preset where one
// is named.
type rawSignature struct {
	Preset       string    `koanf:"preset"`
	Header       string    `koanf:"header"`
	Prefix       *string   `koanf:"prefix"`
	Separator    string    `koanf:"separator"`
	TimeKey      string    `koanf:"time_key"`
	TimeIn       string    `koanf:"time_in"`
	Millis       *bool     `koanf:"millis"`
	IDIn         string    `koanf:"id_in"`
	Signed       string    `koanf:"signed"`
	Hash         string    `koanf:"hash"`
	Encoding     string    `koanf:"encoding"`
	SecretPrefix string    `koanf:"secret_prefix"`
	Tolerance    *Duration `koanf:"tolerance"`
	Token        *bool     `koanf:"token"`
}

type rawPlaces struct {
	Name     words `koanf:"name"`
	Resource words `koanf:"resource"`
	Record   words `koanf:"record"`
	Header   words `koanf:"header"`
	Delivery words `koanf:"delivery"`
}

type rawLimits struct {
	PerSecond *int   `koanf:"per_second"`
	PerMinute *int   `koanf:"per_minute"`
	PerHour   *int   `koanf:"per_hour"`
	PerDay    *int   `koanf:"per_day"`
	Window    string `koanf:"window"`
}

type rawTable struct {
	Table       string            `koanf:"table"`
	Query       string            `koanf:"query"`
	Key         words             `koanf:"key"`
	Changed     string            `koanf:"changed"`
	Created     string            `koanf:"created"`
	Version     string            `koanf:"version"`
	ChangedBy   string            `koanf:"changed_by"`
	Deleted     string            `koanf:"deleted"`
	VersionBump *bool             `koanf:"version_bump"`
	OurMark     string            `koanf:"our_mark"`
	Only        string            `koanf:"only"`
	Private     words             `koanf:"private"`
	MayDelete   *bool             `koanf:"may_delete"`
	Window      *rawWindowColumns `koanf:"window"`
}

type rawWindowColumns struct {
	From string `koanf:"from"`
	To   string `koanf:"to"`
}

type rawJob struct {
	Kind         string                          `koanf:"kind"`
	Between      map[string]string               `koanf:"between"`
	Window       *rawWindow                      `koanf:"window"`
	Match        []words                         `koanf:"match"`
	IfSeveral    string                          `koanf:"if_several"`
	RepresentBy  string                          `koanf:"represent_by"`
	Create       map[string]string               `koanf:"create"`
	OnCreate     map[string]map[string]rawScalar `koanf:"on_create"`
	Update       map[string]string               `koanf:"update"`
	Gone         map[string]rawGone              `koanf:"gone"`
	NotAValue    map[string]words                `koanf:"not_a_value"`
	Fields       map[string]rawField             `koanf:"fields"`
	Tables       map[string]rawWords             `koanf:"tables"`
	AcceptIf     perSystem                       `koanf:"accept_if"`
	AnswerWithin *Duration                       `koanf:"answer_within"`
	KeepValues   string                          `koanf:"keep_values"`
	MaxRecord    *int                            `koanf:"max_record"`
	When         map[string]words                `koanf:"when"`
	States       map[string]rawStates            `koanf:"rules"`
	Clashes      *[]map[string]words             `koanf:"clashes"`
	SendHours    map[string]words                `koanf:"send_hours"`
	SendAtOnce   *rawSoon                        `koanf:"send_at_once"`
	MostAnHour   map[string]*int                 `koanf:"most_an_hour"`
	NeverTo      map[string]rawNever             `koanf:"never_to"`
	// Rest is <system>_may and, by the names of fields, their tables of words.
	Rest map[string]any `koanf:",remain"`
}

type rawSoon struct {
	Field string `koanf:"field"`
	Days  *int   `koanf:"days"`
}

type rawNever struct {
	Field  string `koanf:"field"`
	File   string `koanf:"file"`
	System string `koanf:"system"`
	Kind   string `koanf:"kind"`
	Path   string `koanf:"path"`
}

type rawGone struct {
	Policy  string               `koanf:"policy"`
	Archive map[string]rawScalar `koanf:"archive"`
}

type rawWindow struct {
	From *days `koanf:"from"`
	To   *days `koanf:"to"`
}

type rawField struct {
	To        string    `koanf:"to"`
	Conflict  string    `koanf:"conflict"`
	Initial   string    `koanf:"initial"`
	As        string    `koanf:"as"`
	Of        string    `koanf:"of"`
	Together  string    `koanf:"together"`
	Region    words     `koanf:"region"`
	Clear     string    `koanf:"clear"`
	Enforce   *bool     `koanf:"enforce"`
	Required  *bool     `koanf:"required"`
	Max       *int      `koanf:"max"`
	Job       string    `koanf:"job"`
	IfLeftOut string    `koanf:"if_left_out"`
	Wait      *Duration `koanf:"wait"`
	Then      string    `koanf:"then"`
	Key       words     `koanf:"key"`
	AddsUp    *rawSum   `koanf:"adds_up"`

	Each map[string]rawField `koanf:"each"`
	// Sides go by the names of the two systems.
	Sides map[string]rawSide `koanf:",remain"`
}

type rawStates struct {
	Authority string           `koanf:"authority"`
	May       map[string]words `koanf:"may"`
	Steps     map[string]words `koanf:"steps"`
	Back      map[string]words `koanf:"back"`
	Ends      words            `koanf:"ends"`
}

type rawSum struct {
	Of    string `koanf:"of"`
	Times words  `koanf:"times"`
	Plus  words  `koanf:"plus"`
	Minus words  `koanf:"minus"`
	Else  string `koanf:"else"`
}

type rawSide struct {
	Path     string    `koanf:"path"`
	Paths    words     `koanf:"paths"`
	Split    string    `koanf:"split"`
	Join     *string   `koanf:"join"`
	Format   string    `koanf:"format"`
	Unit     string    `koanf:"unit"`
	Currency string    `koanf:"currency"`
	Const    rawScalar `koanf:"const"`
	Default  rawScalar `koanf:"default"`
	Read     string    `koanf:"read"`
	Write    string    `koanf:"write"`
	Empty    string    `koanf:"empty"`
	Filler   string    `koanf:"filler"`
	Piece    *int      `koanf:"piece"`
	Cut      string    `koanf:"cut"`
	Element  string    `koanf:"element"`
	Phone    string    `koanf:"phone"`
	Name     string    `koanf:"name"`
	Email    string    `koanf:"email"`
	ID       string    `koanf:"id"`
}

type (
	// words is a list of texts, or one of them without brackets.
	words []string
	// perSystem is a text for each system, or one text alone, under "".
	perSystem map[string]string
	// rawWords is a table: our word, system, its words.
	rawWords map[string]map[string]words
	// rawScalar is a text, a number or a truth value.
	rawScalar any
)

var (
	typeDuration  = reflect.TypeFor[Duration]()
	typeDays      = reflect.TypeFor[days]()
	typeWords     = reflect.TypeFor[words]()
	typePerSystem = reflect.TypeFor[perSystem]()
	typeRawWords  = reflect.TypeFor[rawWords]()
	typeScalar    = reflect.TypeFor[rawScalar]()
	typeSide      = reflect.TypeFor[rawSide]()
	typeGone      = reflect.TypeFor[rawGone]()
	typeSignature = reflect.TypeFor[rawSignature]()
	typeSubscribe = reflect.TypeFor[rawSubscribe]()
	typeField     = reflect.TypeFor[rawField]()
	typeJob       = reflect.TypeFor[rawJob]()
	typeConfig    = reflect.TypeFor[rawConfig]()
)

// notYet are keys that people know from elsewhere and that this version lacks.
var notYet = []string{"alerts"}

// shorthand lets one text stand for the list or the block it would be alone in.
func shorthand(from, to reflect.Type, data any) (any, error) {
	if a, ok, err := amountFrom(to, data); ok {
		return a, err
	}
	text, ok := data.(string)
	if !ok || from.Kind() != reflect.String {
		return data, nil
	}
	switch to {
	case typeWords:
		return words{text}, nil
	case typePerSystem:
		return perSystem{"": text}, nil
	case typeSide:
		return rawSide{Path: text}, nil
	case typeGone:
		return rawGone{Policy: text}, nil
	case typeSignature:
		return rawSignature{Preset: text}, nil
	case typeSubscribe:
		return rawSubscribe{Events: words{text}}, nil
	}
	return data, nil
}

// strict decodes without guessing: no unknown key, no other spelling of a key, no
// number for a text.
func strict() *mapstructure.DecoderConfig {
	return &mapstructure.DecoderConfig{
		TagName:     "koanf",
		ErrorUnused: true,
		MatchName:   func(key, field string) bool { return key == field },
		DecodeHook: mapstructure.ComposeDecodeHookFunc(
			mapstructure.DecodeHookFuncType(shorthand), mapstructure.TextUnmarshallerHookFunc()),
	}
}

// tags are the keys of a raw struct with their types, in order of the struct.
func tags(t reflect.Type) ([]string, map[string]reflect.Type) {
	var names []string
	types := map[string]reflect.Type{}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("koanf"), ",")
		if name == "" {
			continue
		}
		names = append(names, name)
		types[name] = f.Type
	}
	return names, types
}
