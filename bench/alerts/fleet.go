package main

import "fmt"

// A class builds one key: limit, reset, spend process, what happens to its exporter.
type class struct {
	name  string
	build func(k *Key, c *Clock, r *Rand)
}

var classes = []class{
	{"steady-safe", func(k *Key, c *Clock, r *Rand) {
		k.Reset = r.Pick(Daily, Weekly, Monthly, Never)
		k.demand(c, r, flat(c, r), func() float64 { return r.U(0.3, 0.8) })
	}},
	{"steady-just-lasts", func(k *Key, c *Clock, r *Rand) {
		k.Reset = r.Pick(Daily, Weekly, Monthly)
		k.demand(c, r, flat(c, r), func() float64 { return r.U(0.85, 0.97) })
	}},
	{"diurnal-safe", func(k *Key, c *Clock, r *Rand) {
		k.Reset = r.Pick(Daily, Daily, Weekly, Monthly)
		k.demand(c, r, office(c, r, false), func() float64 { return r.U(0.4, 0.85) })
	}},
	{"diurnal-exhausts", func(k *Key, c *Clock, r *Rand) {
		k.Reset = Daily
		k.demand(c, r, office(c, r, false), func() float64 { return r.U(0.7, 1.5) })
	}},
	{"bursty-safe", func(k *Key, c *Clock, r *Rand) {
		k.Reset = r.Pick(Daily, Weekly, Monthly)
		k.demand(c, r, bursts(c, r), func() float64 { return r.U(0.4, 0.8) })
	}},
	{"bursty-exhausts", func(k *Key, c *Clock, r *Rand) {
		k.Reset = r.Pick(Daily, Weekly)
		k.demand(c, r, bursts(c, r), func() float64 { return r.U(0.8, 1.6) })
	}},
	{"weekday-safe", func(k *Key, c *Clock, r *Rand) {
		k.Reset = Weekly
		k.demand(c, r, office(c, r, true), func() float64 { return r.U(0.5, 0.92) })
	}},
	{"weekday-exhausts", func(k *Key, c *Clock, r *Rand) {
		k.Reset = Weekly
		k.demand(c, r, office(c, r, true), func() float64 { return r.U(1.05, 1.5) })
	}},
	{"runaway-daily", func(k *Key, c *Clock, r *Rand) { k.Reset = Daily; k.runawayKey(c, r, false) }},
	{"runaway-weekly", func(k *Key, c *Clock, r *Rand) { k.Reset = Weekly; k.runawayKey(c, r, false) }},
	{"runaway-monthly", func(k *Key, c *Clock, r *Rand) { k.Reset = Monthly; k.runawayKey(c, r, false) }},
	{"runaway-never", func(k *Key, c *Clock, r *Rand) { k.Reset = Never; k.runawayKey(c, r, false) }},
	{"runaway-fixed", func(k *Key, c *Clock, r *Rand) {
		k.Reset = r.Pick(Daily, Weekly, Monthly)
		k.runawayKey(c, r, true)
	}},
	{"monthly-slow", func(k *Key, c *Clock, r *Rand) {
		k.Reset = Monthly
		w := flat(c, r)
		if r.P(0.5) {
			w = office(c, r, r.P(0.5))
		}
		k.demand(c, r, w, func() float64 { return r.U(1.05, 1.4) })
	}},
	{"never-drain", func(k *Key, c *Clock, r *Rand) {
		k.Reset = Never
		w := flat(c, r)
		if r.P(0.5) {
			w = office(c, r, false)
		}
		days := float64(c.RunTo-c.ScoreFrom) / 1440
		k.demand(c, r, w, func() float64 { return days / r.U(12, 28) })
		if r.P(0.5) {
			k.ops = append(k.ops, limitOp{afterEx: int(r.U(60, 2880)), set: func(l, u float64) float64 { return l * 2 }})
		}
	}},
	{"limit-raised", func(k *Key, c *Clock, r *Rand) {
		k.Reset = r.Pick(Weekly, Monthly, Never)
		w := flat(c, r)
		if r.P(0.5) {
			w = office(c, r, false)
		}
		k.demand(c, r, w, func() float64 { return r.U(1.2, 1.8) })
		for i := 0; i < 3; i++ {
			f := r.U(1.5, 2.5)
			k.ops = append(k.ops, limitOp{at: c.ScoreFrom + int(r.U(0, 1))*1440 + i*7*1440, atUsed: r.U(0.75, 0.98),
				set: func(l, u float64) float64 { return l * f }})
		}
	}},
	{"limit-lowered", func(k *Key, c *Clock, r *Rand) {
		k.Reset = r.Pick(Daily, Weekly, Monthly)
		w := flat(c, r)
		if r.P(0.5) {
			w = office(c, r, false)
		}
		k.demand(c, r, w, func() float64 { return r.U(0.4, 0.7) })
		hard := r.P(0.25)
		f := r.U(0.1, 0.7)
		k.ops = append(k.ops, limitOp{at: c.ScoreFrom + int(r.U(1, 25)*1440), set: func(l, u float64) float64 {
			if hard {
				return u * 0.9
			}
			return u + (l-u)*f
		}})
	}},
	{"refund", func(k *Key, c *Clock, r *Rand) {
		k.Reset = r.Pick(Daily, Weekly, Monthly, Never)
		w := flat(c, r)
		if r.P(0.4) {
			w = office(c, r, false)
		}
		k.limit0 = r.LogU(20, 2000)
		k.demand(c, r, w, func() float64 { return r.U(0.6, 1.3) })
		for m := c.ScoreFrom; m < c.RunTo; m += int(r.U(0.2, 5) * 1440) {
			k.refunds = append(k.refunds, refund{m, r.LogU(0.01, 5)})
		}
	}},
	{"tiny-limit", func(k *Key, c *Clock, r *Rand) {
		k.Reset = r.Pick(Daily, Weekly, Monthly)
		k.limit0 = r.LogU(0.02, 0.95)
		w := flat(c, r)
		if r.P(0.4) {
			w = office(c, r, false)
		}
		k.demand(c, r, w, func() float64 { return r.U(0.4, 1.4) })
	}},
	{"limit-zero", func(k *Key, c *Clock, r *Rand) {
		k.Reset = r.Pick(Daily, Weekly, Monthly, Never)
		k.LimitZero, k.base = true, make([]float32, c.N)
		if r.P(0.3) {
			k.usedInit = 0.003
		}
	}},
	{"unlimited", func(k *Key, c *Clock, r *Rand) {
		k.Reset = Daily
		if r.P(0.5) {
			k.runawayKey(c, r, true)
		} else {
			k.demand(c, r, office(c, r, false), func() float64 { return r.U(0.5, 1.5) })
		}
		k.Unlimited, k.Reset = true, Never
	}},
	{"stays-exhausted", func(k *Key, c *Clock, r *Rand) {
		k.Reset = r.Pick(Weekly, Monthly)
		k.demand(c, r, flat(c, r), func() float64 { return r.U(1.6, 4) })
	}},
	{"env-restarts", func(k *Key, c *Clock, r *Rand) {
		k.mixed(c, r)
		k.Env.Lives = nil
		for at, i := c.RunFrom-10, 0; at < c.RunTo; i++ {
			to := at + int(r.LogU(60, 5*1440))
			k.Env.Lives = append(k.Env.Lives, life{inst: fmt.Sprintf("pod-%d-%d:9464", k.ID, i), span: span{at, to}, pollAt: r.IntN(58), scrapeAt: r.IntN(58)})
			at = to + r.IntN(5) - 2
		}
	}},
	{"env-replicas", func(k *Key, c *Clock, r *Rand) {
		k.mixed(c, r)
		k.Env.Lives = append(k.Env.Lives, life{inst: fmt.Sprintf("replica-b-%d:9464", k.ID), span: span{c.RunFrom - 10, c.N}, pollAt: r.IntN(58), scrapeAt: r.IntN(58)})
		if r.P(0.5) { // one of the two has gaps of its own
			k.Env.Lives[1].gaps = gaps(c, r)
		}
	}},
	{"env-gaps", func(k *Key, c *Clock, r *Rand) { k.mixed(c, r); k.Env.Lives[0].gaps = gaps(c, r) }},
	{"env-frozen", func(k *Key, c *Clock, r *Rand) {
		k.mixed(c, r)
		for m := c.ScoreFrom + int(r.U(0, 3)*1440); m < c.RunTo; m += int(r.U(1, 5) * 1440) {
			k.Env.Frozen = append(k.Env.Frozen, span{m, m + int(r.U(60, 600))})
		}
	}},
	{"env-lagging", func(k *Key, c *Clock, r *Rand) { k.mixed(c, r); k.Env.Lag = 60 + r.IntN(60) }},
}

func gaps(c *Clock, r *Rand) (g []span) {
	for m := c.RunFrom; m < c.RunTo; m += int(r.U(60, 2880)) {
		g = append(g, span{m, m + 3 + r.IntN(18)})
	}
	return g
}

// oneLife is an exporter that never restarts.
func oneLife(id int, c *Clock, r *Rand) []life {
	return []life{{inst: fmt.Sprintf("exporter-%d:9464", id), span: span{c.RunFrom - 10, c.N}, pollAt: r.IntN(58), scrapeAt: r.IntN(58)}}
}

func buildKey(seed uint64, id int, c *Clock) *Key {
	cl := classes[id%len(classes)]
	r := newRand(seed, uint64(id))
	k := &Key{ID: id, Class: cl.name, Name: fmt.Sprintf("%s-%d", cl.name, id)}
	k.Env.Lag = r.IntN(20)
	k.Env.Lives = oneLife(id, c, r)
	k.Env.TTL = 3600 * (1 + 11*int64(r.IntN(2)))
	if r.P(0.1) {
		k.BYOKShare, k.BYOKIn = r.U(0.2, 0.9), true
	}
	cl.build(k, c, r)
	k.totalInit = r.U(0, 5) * k.limit0
	k.simulate(c, r)
	return k
}
