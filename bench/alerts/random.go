package main

import (
	"math"
	"math/rand/v2"
)

type Rand struct{ *rand.Rand }

func newRand(seed, id uint64) *Rand {
	return &Rand{rand.New(rand.NewPCG(seed, id*0x9e3779b97f4a7c15+1))}
}

func (r *Rand) U(a, b float64) float64 { return a + (b-a)*r.Float64() }

func (r *Rand) LogU(a, b float64) float64 { return math.Exp(r.U(math.Log(a), math.Log(b))) }

func (r *Rand) P(p float64) bool { return r.Float64() < p }

func (r *Rand) Pick(xs ...Reset) Reset { return xs[r.IntN(len(xs))] }

func (r *Rand) Poisson(l float64) int {
	if l > 40 {
		return max(0, int(l+math.Sqrt(l)*r.NormFloat64()+0.5))
	}
	p, n, e := 1.0, 0, math.Exp(-l)
	for {
		p *= r.Float64()
		if p < e {
			return n
		}
		n++
	}
}
