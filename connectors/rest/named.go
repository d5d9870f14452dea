package rest

import "sync"

// named is the kinds whose lists named a next page since the connection was opened: the key
// that names it is called as the preset says.
type named struct {
	mu    sync.Mutex
	kinds map[*kind]bool
}

func (n *named) add(k *kind) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.kinds == nil {
		n.kinds = map[*kind]bool{}
	}
	n.kinds[k] = true
}

func (n *named) has(k *kind) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.kinds[k]
}
