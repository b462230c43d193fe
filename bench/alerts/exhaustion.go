package main

// An exhaustion is judged by what was known until an hour before it, in minutes.
const (
	steadyMins               = 75 // the spend before it must have been steady for so long
	blindFromMins, blindMins = 70, 55
)

// Exhaustion is one ground-truth event: from is the minute in which calls began
// to be refused, to the minute in which the key could spend again.
type Exhaustion struct {
	From, To int
	Window   int    // first minute from which this event could be known at all
	Class    string // foreseeable, sudden or blind
}

// classify reports whether the event could have been announced an hour ahead:
// foreseeable when the key had spent at the rate that led there for 75 minutes, and blind
// when the gateway did not answer in some minute between 70 and 55 before it.
func (k *Key) classify(c *Clock, e *Exhaustion) string {
	switch {
	case k.isBlind(e.From):
		return "blind"
	case k.isForeseeable(c, e.From, e.Window, func(m int) float64 { return k.total[m] }, func(m int) float64 { return k.rem[m] }):
		return "foreseeable"
	}
	return "sudden"
}

func (k *Key) isBlind(T int) bool {
	for _, f := range k.Env.Frozen {
		if f.from < T-blindMins && f.to > T-blindFromMins {
			return true
		}
	}
	return false
}

// isForeseeable judges an exhaustion at minute T by the usage and the rest of the credits at the start of each minute before it.
func (k *Key) isForeseeable(c *Clock, T, window int, total, left func(m int) float64) bool {
	if T-window < steadyMins || T < steadyMins+5 {
		return false
	}
	spent := func(a, b int) float64 { return (total(b) - total(a)) / float64(b-a) }
	mean := spent(T-steadyMins, T)
	r1 := spent(T-steadyMins, T-60)
	if r1 < 0.5*spent(T-60, T) {
		return false
	}
	for q := 0; q < 5; q++ {
		if spent(T-steadyMins+15*q, T-60+15*q) < 0.25*mean {
			return false
		}
	}
	ttr := float64(windowEnd(k.Reset, c.unix(T-60))-c.unix(T-60)) / 60
	return left(T-60)/r1 <= ttr
}

// wouldExhaust: from minute m on, with the limit of that minute and no help from
// outside, does demand use up what is left before minute `by`?
func (k *Key) wouldExhaust(m, by int) bool {
	left := k.rem[m]
	for t := m; t < by && t < len(k.cf); t++ {
		left -= float64(k.cf[t])
		if left <= k.callCost {
			return true
		}
	}
	return false
}

func (k *Key) exhaustedAt(m int) bool {
	for i := range k.Exh {
		if m >= k.Exh[i].From && m < k.Exh[i].To {
			return true
		}
	}
	return false
}
