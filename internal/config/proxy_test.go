package config

import "testing"

// through is the base with a proxy.
func through(proxy string) []string {
	return []string{`key: "env:KEY" }`, `key: "env:KEY", proxy: "` + proxy + `" }`}
}

// badProxies are addresses of proxies that people write.
func badProxies() []edit {
	const at = "config.yaml:3: systems.platform.proxy: "
	const wrong = at + "must be an address such as http://proxy.example.com:3128, or env:HTTPS_PROXY or file:/path of where it stands"
	return []edit{
		{name: "a proxy without http://", edit: through("proxy.example.com:3128"), want: []string{wrong}},
		{name: "a proxy of another kind", edit: through("ftp://proxy.example.com"), want: []string{wrong}},
		{
			name: "a proxy with a password", edit: through("http://np:hunter2@proxy.example.com:3128"),
			want: []string{at + "has a user or password in it: put the whole address into a file and write file:/path of it"},
		},
		{
			name: "a page in place of a proxy", edit: through("http://proxy.example.com/proxy.pac"),
			want: []string{at + "must end after the port, or env:HTTPS_PROXY or file:/path of where it stands"},
		},
	}
}

func TestProxy(t *testing.T) {
	for written, want := range map[string]string{
		"http://proxy.example.com:3128": "http://proxy.example.com:3128",
		"socks5://192.0.2.7:1080/":      "socks5://192.0.2.7:1080/",
		"env:HTTPS_PROXY":               "env:HTTPS_PROXY",
		"file:/etc/nightporter/proxy":   "file:/etc/nightporter/proxy",
	} {
		cfg, err := Parse("config.yaml", []byte(changed(t, through(written)...)), nil)
		if err != nil {
			t.Errorf("%s: %v", written, err)
			continue
		}
		if s, _ := cfg.System("platform"); s.REST.Proxy != want {
			t.Errorf("%s: got %q, want %q", written, s.REST.Proxy, want)
		}
	}
	for _, kept := range []string{"http://np:hunter2@proxy.example.com:3128\n", "https://[2001:db8::1]:3128"} {
		if _, err := ParseProxy(kept); err != nil {
			t.Errorf("%s: %v", kept, err)
		}
	}
}
