package e2e

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"nightporter/simulator"
)

// tunnel is a proxy that lets those who know its password through to one address.
func tunnel(t *testing.T, to string) (address string, through *atomic.Int64) {
	t.Helper()
	through = &atomic.Int64{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, ok := proxyAuth(r); r.Method != http.MethodConnect || r.Host != "example.com:443" || !ok || user != "np" || password != "hunter2" {
			w.Header().Set("Proxy-Authenticate", "Basic")
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		there, err := net.Dial("tcp", to)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		through.Add(1)
		w.WriteHeader(http.StatusOK)
		here, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			there.Close()
			return
		}
		var both sync.WaitGroup
		both.Go(func() { _, _ = io.Copy(there, here); there.Close() })
		both.Go(func() { _, _ = io.Copy(here, there); here.Close() })
		both.Wait()
	}))
	t.Cleanup(srv.Close)
	return strings.TrimPrefix(srv.URL, "http://"), through
}

func proxyAuth(r *http.Request) (user, password string, ok bool) {
	as := http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}
	return as.BasicAuth()
}

// Where only a proxy leads out of the house, all that speaks with the platform goes
// through the one that the configuration names, and through no other.
func TestThroughAProxy(t *testing.T) {
	t.Parallel()
	program := binary(t)
	h := newHouse(t, simulator.Options{})
	h.exec(`INSERT INTO guests (first_name, last_name, phone) VALUES ('Ada', 'Rossi', '+390551234567')`)
	platform := httptest.NewTLSServer(h.sim)
	t.Cleanup(platform.Close)
	proxy, through := tunnel(t, strings.TrimPrefix(platform.URL, "https://"))
	ca, address, config := filepath.Join(h.dir, "ca.pem"), filepath.Join(h.dir, "proxy"), filepath.Join(h.dir, "nightporter.yaml")
	h.write(ca, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: platform.Certificate().Raw})))
	h.edit(h.url, "https://example.com\n    proxy: file:"+address)
	h.write(config, h.config)

	run := func(args ...string) (string, error) {
		cmd := exec.Command(program, append(args, "--config", config)...)
		cmd.Env = append(os.Environ(), "SSL_CERT_FILE="+ca, "HTTPS_PROXY=http://127.0.0.1:1", "NO_PROXY=")
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		err := cmd.Run()
		return said.String(), err
	}
	h.write(address, fmt.Sprintf("http://np:hunter2@%s\n", proxy))
	for _, args := range [][]string{{"doctor", "platform"}, {"sync", "--yes"}} {
		before := through.Load()
		if said, err := run(args...); err != nil || through.Load() == before {
			t.Errorf("%v: %v, %d connections through the proxy\n%s", args, err, through.Load()-before, said)
		}
	}
	if got := h.sim.Len("contacts"); got != 1 {
		t.Errorf("the platform has %d contacts, want the guest", got)
	}

	for _, tt := range []struct{ kept, sync, check string }{
		{"http://np:hunter3@" + proxy, "the proxy " + proxy + " answered HTTP 407 (look at proxy: does it want a user and a password", ""},
		{"http://np:hunter3@127.0.0.1:1", "no way through the proxy: is its address right, and is it up?", ""},
		{"https://np:hunter3@" + proxy, "no way through the proxy", ""},
		{"np:hunter3@proxy.example.com", "holds must be an address such as http://proxy.example.com:3128", "what proxy: file:" + address + " holds must be an address"},
		{"http://np:hunter3@" + proxy + "/x.pac", "holds must end after the port", "holds must end after the port"},
	} {
		h.write(address, tt.kept)
		said, err := run("sync", "--yes")
		if err == nil || !strings.Contains(said, tt.sync) || strings.Contains(said, "hunter") {
			t.Errorf("%v, want %q and no password in\n%s", err, tt.sync, said)
		}
		said, err = run("check")
		if (err == nil) != (tt.check == "") || !strings.Contains(said, tt.check) || strings.Contains(said, "hunter") {
			t.Errorf("check: %v, want %q and no password in\n%s", err, tt.check, said)
		}
	}
}
