package main

import "fmt"

// otherCap is a second limit of a key. It never ends first, but it may have less left, and must not hide the one that does.
type otherCap struct {
	limit float64
	reset Reset
}

// layerKinds are keys with two limits, budgets that several keys share, and accounts that buy credits by themselves.
var layerKinds = []struct {
	name  string
	build func(k *Key, c *Clock, r *Rand)
}{
	{"day-in-month", func(k *Key, c *Clock, r *Rand) { k.twoCaps(c, r, Daily, Monthly) }},
	{"month-over-day", func(k *Key, c *Clock, r *Rand) { k.twoCaps(c, r, Monthly, Daily) }},
	{"week-and-lifetime", func(k *Key, c *Clock, r *Rand) { k.twoCaps(c, r, Weekly, Never) }},
	{"shared", func(k *Key, c *Clock, r *Rand) {
		k.Reset, k.Shared = r.Pick(Daily, Weekly, Monthly), true
		weights, one, other := flat(c, r), office(c, r, false), office(c, r, r.P(0.5))
		for m := range weights {
			weights[m] += one[m] + other[m]
		}
		k.demand(c, r, weights, func() float64 { return r.U(0.6, 1.3) })
		k.simulate(c, r)
	}},
	{"refilled", func(k *Key, c *Clock, r *Rand) { k.refilled(c, r, false) }},
	{"refill-missing", func(k *Key, c *Clock, r *Rand) { k.refilled(c, r, true) }},
}

func (k *Key) twoCaps(c *Clock, r *Rand, ends, other Reset) {
	k.Reset = ends
	weights := flat(c, r)
	if r.P(0.5) {
		weights = office(c, r, r.P(0.3))
	}
	k.demand(c, r, weights, func() float64 { return r.U(0.6, 1.3) })
	if r.P(0.3) {
		k.runsAway(c, r, false)
	}
	k.simulate(c, r)
	most, from := 0.0, 0
	for m := 1; m <= c.N; m++ {
		most = max(most, k.total[m]-k.total[from])
		if other != Never && windowStart(other, c.unix(m)) == c.unix(m) {
			from = m
		}
	}
	k.Other = &otherCap{most * r.U(1.3, 2), other}
}

// refilled: the account buys credits below some hours of its spend, until the purchases are missing.
func (k *Key) refilled(c *Clock, r *Rand, ends bool) {
	k.Reset, k.Account = Never, true
	k.Env.Lag, k.Env.TTL, k.Env.Every = r.IntN(60), 3*300, 5
	k.limit0 = r.LogU(100, 2000)
	lastsDays := r.U(2, 6)
	days := float64(c.RunTo-c.ScoreFrom) / 1440
	k.demand(c, r, spendShapes[r.IntN(2)].build(c, r), func() float64 { return days / lastsDays })
	k.TopUp = k.limit0 / lastsDays * r.U(0.2, 0.5)
	amount, purchases := k.limit0*r.U(0.5, 1), 300
	if ends {
		purchases = 1 + r.IntN(6)
	}
	for range purchases {
		k.ops = append(k.ops, limitOp{below: k.TopUp, set: func(l, u float64) float64 { return l + amount }})
	}
	k.simulate(c, r)
}

func layerClass(id int) string { return layerKinds[id%len(layerKinds)].name }

func buildLayered(seed uint64, id int, c *Clock) *Key {
	r := newRand(seed, uint64(id))
	k := &Key{ID: id, Class: layerClass(id), Name: fmt.Sprintf("%s-%d", layerClass(id), id)}
	k.Env.Lag, k.Env.TTL = r.IntN(20), 3600
	k.Env.Lives = oneLife(id, c, r)
	layerKinds[id%len(layerKinds)].build(k, c, r)
	return k
}
