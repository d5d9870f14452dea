package signature

import (
	"bytes"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var at = time.Unix(1_614_265_330, 0)

// What the makers of each scheme publish as an example, or what openssl says of it:
//
//	printf '%s' TEXT | openssl dgst -sha256 -hmac SECRET
func TestPublishedExamples(t *testing.T) {
	for _, tt := range []struct {
		preset, secret string
		header         map[string]string
		body           string
	}{
		{ // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
			"github", "It's a Secret to Everybody",
			map[string]string{"X-Hub-Signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"},
			"Hello, World!",
		},
		{ // https://github.com/standard-webhooks/standard-webhooks, the example of its libraries' tests
			"standard", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
			map[string]string{
				"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
				"webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1,bm9ldHU=",
			},
			`{"test": 2432232314}`,
		},
	} {
		r := Request{Header: http.Header{}, Body: []byte(tt.body)}
		for k, v := range tt.header {
			r.Header.Set(k, v)
		}
		if err := Presets[tt.preset].Verify(r, []string{"another", tt.secret}, at); err != nil {
			t.Errorf("%s: %v", tt.preset, err)
		}
		if err := Presets[tt.preset].Verify(r, []string{"another"}, at); !errors.Is(err, ErrMismatch) {
			t.Errorf("%s with another secret: got %v, want a mismatch", tt.preset, err)
		}
	}
}

// Each preset is a good scheme, believes what it signs, and nothing that was changed.
func TestPresetsBelieveWhatTheySign(t *testing.T) {
	for name, s := range Presets {
		t.Run(name, func(t *testing.T) {
			if err := s.Check(); err != nil {
				t.Fatal(err)
			}
			rapid.Check(t, func(t *rapid.T) {
				body := rapid.SliceOf(rapid.Byte()).Draw(t, "body")
				secret := s.SecretPrefix + base64.StdEncoding.EncodeToString(rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "secret"))
				r := Request{Method: http.MethodPost, URL: "https://example.com/hook?x={body}", Header: http.Header{}, Body: body}
				if err := s.Sign(r, "evt_1", []string{secret, s.SecretPrefix + "b2xk"}, at); err != nil {
					t.Fatal(err)
				}
				now := at.Add(time.Duration(rapid.IntRange(-300, 299).Draw(t, "later")) * time.Second)
				if err := s.Verify(r, []string{s.SecretPrefix + "bmV3", secret}, now); err != nil {
					t.Fatalf("own signature: %v", err)
				}
				if s.Token {
					return
				}
				r.Body = append(bytes.Clone(body), 'x')
				if err := s.Verify(r, []string{secret}, now); !errors.Is(err, ErrMismatch) {
					t.Fatalf("changed body: got %v, want a mismatch", err)
				}
			})
		})
	}
}

func TestVerifyRefuses(t *testing.T) {
	const secret = "whsec_c2VjcmV0"
	signed := func(preset string) (Scheme, Request) {
		s := Presets[preset]
		r := Request{Method: http.MethodPost, URL: "https://example.com/", Header: http.Header{}, Body: []byte(`{"a":1}`)}
		if err := s.Sign(r, "evt_1", []string{secret}, at); err != nil {
			t.Fatal(err)
		}
		return s, r
	}
	for _, tt := range []struct {
		name, preset string
		spoil        func(Request)
		later        time.Duration
		want         error
	}{
		{"no header", "github", func(r Request) { r.Header.Del("X-Hub-Signature-256") }, 0, ErrMissing},
		{"another kind", "github", func(r Request) { r.Header.Set("X-Hub-Signature-256", "sha1=00") }, 0, ErrMissing},
		{"no hex", "github", func(r Request) { r.Header.Set("X-Hub-Signature-256", "sha256=zz") }, 0, ErrMismatch},
		{"not of this alphabet", "github", func(r Request) { r.Header.Set("X-Hub-Signature-256", "sha256=\u00fc\xff") }, 0, ErrMismatch},
		{"too old", "standard", nil, 301 * time.Second, ErrStale},
		{"of the future", "standard", nil, -301 * time.Second, ErrStale},
		{"another time", "standard", func(r Request) { r.Header.Set("webhook-timestamp", "1614265331") }, 0, ErrMismatch},
		{"another id", "standard", func(r Request) { r.Header.Set("webhook-id", "evt_2") }, 0, ErrMismatch},
		{"no time", "yourang", func(r Request) { r.Header.Del("X-Yourang-Timestamp") }, 0, ErrMissing},
		{"no time among them", "stripe", func(r Request) {
			_, sig, _ := strings.Cut(r.Header.Get("Stripe-Signature"), ",")
			r.Header.Set("Stripe-Signature", sig)
		}, 0, ErrMissing},
		{"too old, and not signed", "slack", func(r Request) { r.Header.Set("X-Slack-Signature", "v0=00") }, time.Hour, ErrMismatch},
		{"another token", "bearer", func(r Request) { r.Header.Set("Authorization", "Bearer "+secret+"x") }, 0, ErrMismatch},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, r := signed(tt.preset)
			if tt.spoil != nil {
				tt.spoil(r)
			}
			err := s.Verify(r, []string{secret}, at.Add(tt.later))
			if !errors.Is(err, tt.want) {
				t.Fatalf("got %v, want %v", err, tt.want)
			}
			if strings.Contains(err.Error(), "c2VjcmV0") || strings.Contains(err.Error(), `"a"`) {
				t.Errorf("the error tells too much: %v", err)
			}
		})
	}
	s, r := signed("github")
	if err := s.Verify(r, []string{""}, at); err == nil {
		t.Error("an empty secret is taken")
	}
	bearer, r := signed("bearer")
	r.Header.Set("Authorization", "Bearer ")
	if err := bearer.Verify(r, []string{""}, at); err == nil {
		t.Error("an empty token is taken")
	}
}

func TestCheckNamesWhatIsWrong(t *testing.T) {
	for want, s := range map[string]Scheme{
		"no header is named":    {Signed: "{body}"},
		`hash "md5"`:            {Header: "X", Signed: "{body}", Hash: "md5"},
		`encoding "base32"`:     {Header: "X", Signed: "{body}", Encoding: "base32"},
		"{boby":                 {Header: "X", Signed: "{boby}"},
		"must hold {body}":      {Header: "X", Signed: "{time}", TimeIn: "T"},
		"{time} is signed":      {Header: "X", Signed: "{time}{body}"},
		"a time that is not":    {Header: "X", Signed: "{body}", TimeIn: "T"},
		"{id} is signed":        {Header: "X", Signed: "{id}{body}"},
		"no separator is given": {Header: "X", Signed: "{time}{body}", TimeKey: "t="},
		"carries the token":     {Token: true},
	} {
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v, want it to say %q", s, err, want)
		}
	}
}

// Whatever stands in the headers, it is refused and nothing breaks.
func FuzzVerify(f *testing.F) {
	f.Add("v1,g0hM9SsE", "1614265330", "{}")
	f.Add("t=1,v1=00,,", "", "")
	f.Fuzz(func(t *testing.T, header, when, body string) {
		for name, s := range Presets {
			r := Request{Header: http.Header{}, Body: []byte(body)}
			r.Header.Set(s.Header, header)
			r.Header.Set(s.TimeIn, when)
			if err := s.Verify(r, []string{"a secret that nobody guesses"}, at); err == nil {
				t.Errorf("%s believes %q", name, header)
			}
		}
	})
}
