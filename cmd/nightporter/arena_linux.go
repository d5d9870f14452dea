package main

/*
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>

__attribute__((constructor)) static void one_arena(void) {
	if (getenv("MALLOC_ARENA_MAX") == NULL)
		mallopt(M_ARENA_MAX, 1);
}
#endif
*/
import "C"

// All threads share one heap of the C library's. By default each thread that calls
// into SQLite gets one of its own, eight for each processor at most, and what is freed
// there stays there: over a million contacts that grew to a sixth of the program's
// memory. SQLite counts what it allocates under one lock anyhow, so that nothing waits
// longer for it. It is said before main: then Go's first threads have their heaps
// already. MALLOC_ARENA_MAX in the environment has the last word.
