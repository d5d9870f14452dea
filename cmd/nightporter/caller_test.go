package main

import "testing"

// Who answers has a name, also where the environment has none, as that of cron.
func TestCaller(t *testing.T) {
	for _, tt := range []struct{ sudo, user, want string }{{"anna", "root", "anna"}, {"", "bea", "bea"}} {
		t.Setenv("SUDO_USER", tt.sudo)
		t.Setenv("USER", tt.user)
		if got := caller(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	t.Setenv("SUDO_USER", "")
	t.Setenv("USER", "")
	if got := caller(); got == "" {
		t.Error("nobody called")
	}
}
