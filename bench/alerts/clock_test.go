package main

import (
	"testing"
	"time"
)

func TestWindows(t *testing.T) {
	const layout = "2006-01-02 15:04:05"
	for _, test := range []struct {
		reset          Reset
		at, start, end string
	}{
		{Daily, "2026-03-16 00:00:00", "2026-03-16 00:00:00", "2026-03-17 00:00:00"},
		{Daily, "2026-03-16 23:59:59", "2026-03-16 00:00:00", "2026-03-17 00:00:00"},
		{Weekly, "2026-03-16 00:00:00", "2026-03-16 00:00:00", "2026-03-23 00:00:00"}, // a Monday
		{Weekly, "2026-03-22 23:59:59", "2026-03-16 00:00:00", "2026-03-23 00:00:00"},
		{Monthly, "2026-02-28 12:00:00", "2026-02-01 00:00:00", "2026-03-01 00:00:00"},
		{Monthly, "2026-12-31 12:00:00", "2026-12-01 00:00:00", "2027-01-01 00:00:00"},
	} {
		at, err := time.Parse(layout, test.at)
		if err != nil {
			t.Fatal(err)
		}
		text := func(unix int64) string { return time.Unix(unix, 0).UTC().Format(layout) }
		if start, end := text(windowStart(test.reset, at.Unix())), text(windowEnd(test.reset, at.Unix())); start != test.start || end != test.end {
			t.Errorf("%s %s: %s to %s, want %s to %s", test.reset, test.at, start, end, test.start, test.end)
		}
	}
}
