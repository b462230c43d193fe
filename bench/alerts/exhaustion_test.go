package main

import "testing"

// spendingKey returns a key with a limit and the credits that it spends in each minute, over two days.
func spendingKey(reset Reset, limit float64, spend func(m int) float64) (*Key, *Clock) {
	c := &Clock{N: 2 * 1440, RunTo: 2 * 1440}
	k := &Key{Class: "test", Reset: reset, limit0: limit, total: []float64{0}, rem: []float64{limit}, limits: make([]float32, c.N+1)}
	for m := range c.N {
		k.cf = append(k.cf, float32(spend(m)))
		k.total = append(k.total, k.total[m]+spend(m))
		k.rem = append(k.rem, limit-k.total[m+1])
		k.limits[m] = float32(limit)
	}
	return k, c
}

func TestClassify(t *testing.T) {
	const out = 400
	steady := func(int) float64 { return 1 }
	rises := func(begin int, before float64) func(int) float64 {
		return func(m int) float64 {
			if m < begin {
				return before
			}
			return 2.5
		}
	}
	pause := func(m int) float64 {
		if m >= out-45 && m < out-30 {
			return 0
		}
		return 1
	}
	for title, test := range map[string]struct {
		spend  func(m int) float64
		window int
		frozen []span
		reset  Reset
		want   string
	}{
		"steady spend":                           {spend: steady, want: "foreseeable"},
		"a rate of 76 minutes":                   {spend: rises(out-76, 0.1), want: "foreseeable"},
		"a rate of 62 minutes":                   {spend: rises(out-62, 0.1), want: "sudden"},
		"half the rate until an hour before":     {spend: rises(out-60, 1.25), want: "foreseeable"},
		"less than half of it":                   {spend: rises(out-60, 1.2), want: "sudden"},
		"a quarter without spend":                {spend: pause, want: "sudden"},
		"a window of 75 minutes":                 {spend: steady, window: out - 75, want: "foreseeable"},
		"a window of 74 minutes":                 {spend: steady, window: out - 74, want: "sudden"},
		"no answer an hour before":               {spend: steady, frozen: []span{{out - 60, out - 50}}, want: "blind"},
		"no answer until 70 minutes before":      {spend: steady, frozen: []span{{out - 90, out - 70}}, want: "foreseeable"},
		"no answer in the last 55 minutes":       {spend: steady, frozen: []span{{out - 55, out}}, want: "foreseeable"},
		"a rate that lasts longer than a window": {spend: steady, reset: Daily, want: "sudden"},
	} {
		limit := 0.0
		for m := range out {
			limit += test.spend(m)
		}
		if test.reset == Daily {
			// What is left an hour before the exhaustion lasts beyond the reset at the rate of that time.
			limit += 1440
		}
		k, c := spendingKey(test.reset, limit, test.spend)
		k.Env.Frozen = test.frozen
		if class := k.classify(c, &Exhaustion{From: out, Window: test.window}); class != test.want {
			t.Errorf("%s: %s, want %s", title, class, test.want)
		}
	}
}

func TestWouldExhaust(t *testing.T) {
	k, _ := spendingKey(Daily, 100, func(int) float64 { return 1 })
	for _, test := range []struct {
		from, by int
		want     bool
	}{{0, 100, true}, {0, 99, false}, {50, 100, true}} {
		if found := k.wouldExhaust(test.from, test.by); found != test.want {
			t.Errorf("from %d by %d: %v, want %v", test.from, test.by, found, test.want)
		}
	}
}
