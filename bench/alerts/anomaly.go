package main

import (
	"fmt"
	"math"
)

// The fleet of anomalies has one key for each shape of ordinary spend and each thing that happens to it. Its keys
// have no limit, so that every call is accepted.
var (
	spendShapes = []struct {
		name  string
		build func(c *Clock, r *Rand) *shape
	}{
		{"steady", flat},
		{"office", func(c *Clock, r *Rand) *shape { return office(c, r, false) }},
		{"weekdays", func(c *Clock, r *Rand) *shape { return office(c, r, true) }},
		{"bursty", bursts},
		{"nightly", nightly},
	}
	anomalyKinds = []struct {
		name   string
		happen func(k *Key, c *Clock, r *Rand, mean float64)
	}{
		{"runaway", func(k *Key, c *Clock, r *Rand, mean float64) {
			k.nowAndThen(c, r, func() int { return int(r.U(60, 720)) }, func(s span) {
				k.add(s, mean*r.LogU(5, 50))
			})
		}},
		{"leaked-key", func(k *Key, c *Clock, r *Rand, mean float64) {
			k.nowAndThen(c, r, func() int { return int(r.U(720, 4320)) }, func(s span) {
				k.add(s, mean*r.LogU(1, 5))
			})
		}},
		{"retry-loop", func(k *Key, c *Clock, r *Rand, mean float64) {
			k.nowAndThen(c, r, func() int { return int(r.U(60, 360)) }, func(s span) {
				k.multiply(s, r.LogU(3, 10))
			})
		}},
		{"price-change", func(k *Key, c *Clock, r *Rand, mean float64) {
			m := k.busy(c, r, c.ScoreFrom+int(r.U(0.2, 0.6)*float64(c.RunTo-c.ScoreFrom)))
			k.multiply(span{m, c.N}, r.U(1.5, 3))
			k.anomalies = append(k.anomalies, span{m, m + 1440})
		}},
		// No anomalies: nobody wants an alert.
		{"seasonal-peak", func(k *Key, c *Clock, r *Rand, mean float64) {
			weekday, factor := int64(r.IntN(7)), r.U(1.5, 2.5)
			for m := 0; m < c.N; m++ {
				if c.unix(m)/daySec%7 == weekday {
					k.multiply(span{m, m + 1}, factor)
				}
			}
		}},
		{"growth", func(k *Key, c *Clock, r *Rand, mean float64) {
			daily := r.LogU(0.01, 0.04)
			for m := range k.base {
				k.base[m] *= float32(math.Pow(1+daily, float64(m)/1440))
			}
		}},
		{"ordinary", func(*Key, *Clock, *Rand, float64) {}},
	}
)

func buildAnomalyKey(seed uint64, id int, c *Clock) *Key {
	shape, kind := spendShapes[id%len(spendShapes)], anomalyKinds[id/len(spendShapes)%len(anomalyKinds)]
	r := newRand(seed, uint64(id))
	k := &Key{ID: id, Class: kind.name, Name: fmt.Sprintf("%s-%s-%d", kind.name, shape.name, id), Reset: Monthly}
	k.Env.Lag, k.Env.TTL = r.IntN(20), 3600
	k.Env.Lives = oneLife(id, c, r)
	k.limit0 = r.LogU(1500, 30000)
	k.demand(c, r, shape.build(c, r), func() float64 { return r.U(0.55, 0.65) })
	sum := 0.0
	for _, x := range k.base {
		sum += float64(x)
	}
	kind.happen(k, c, r, sum/float64(len(k.base)))
	k.totalInit, k.Unlimited, k.Reset = r.U(0, 5)*k.limit0, true, Never
	k.simulate(c, r)
	return k
}

// nowAndThen lets something happen every 8 to 12 days, at a busy minute.
func (k *Key) nowAndThen(c *Clock, r *Rand, length func() int, happen func(span)) {
	for m := c.ScoreFrom + int(r.U(0.2, 6)*1440); m < c.RunTo; m += int(r.U(8, 12) * 1440) {
		at := k.busy(c, r, m)
		s := span{at, min(at+length(), c.N)}
		if s.to > c.RunTo {
			return
		}
		happen(s)
		k.anomalies = append(k.anomalies, s)
	}
}

// busy returns a minute of the same day in whose hour the key spends at least its mean.
func (k *Key) busy(c *Clock, r *Rand, m int) int {
	day := m / 1440 * 1440
	sum := func(a, b int) (s float64) {
		for _, x := range k.base[max(a, 0):min(b, len(k.base))] {
			s += float64(x)
		}
		return s
	}
	mean := sum(day, day+1440) / 24
	for try := 0; try < 200; try++ {
		if at := day + r.IntN(1440); sum(at, at+60) >= mean {
			return at
		}
	}
	return m
}

func (k *Key) add(s span, perMin float64) {
	for m := s.from; m < min(s.to, len(k.base)); m++ {
		k.base[m] += float32(perMin)
	}
}

func (k *Key) multiply(s span, factor float64) {
	for m := s.from; m < min(s.to, len(k.base)); m++ {
		k.base[m] *= float32(factor)
	}
}
