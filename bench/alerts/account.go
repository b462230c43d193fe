package main

import "fmt"

// The fleet of accounts has one account for each shape of spend and each way to buy credits. The balance of an account
// never resets, and its spend stops when it is used up.
var accountKinds = []struct {
	name  string
	build func(k *Key, c *Clock, r *Rand, shape []float64)
}{
	{"ample", func(k *Key, c *Clock, r *Rand, shape []float64) {
		k.demand(c, r, shape, func() float64 { return r.U(0.2, 0.6) })
	}},
	{"bought-late", func(k *Key, c *Clock, r *Rand, shape []float64) {
		k.lasts(c, r, shape)
		for range 12 {
			k.buy(c, limitOp{afterEx: int(r.U(60, 720))}, r.U(0.5, 1.5))
		}
	}},
	{"bought-in-time", func(k *Key, c *Clock, r *Rand, shape []float64) {
		k.lasts(c, r, shape)
		for i := range 12 {
			k.buy(c, limitOp{at: c.ScoreFrom + 3*1440*i, atUsed: r.U(0.8, 0.98)}, r.U(0.5, 1.5))
		}
	}},
	{"runaway", func(k *Key, c *Clock, r *Rand, shape []float64) {
		k.demand(c, r, shape, func() float64 { return r.U(0.4, 0.9) })
		k.runsAway(c, r, false)
	}},
}

// lasts lets the first credits of an account last for 5 to 20 days.
func (k *Key) lasts(c *Clock, r *Rand, shape []float64) {
	days := float64(c.RunTo-c.ScoreFrom) / 1440
	k.demand(c, r, shape, func() float64 { return days / r.U(5, 20) })
}

// buy adds a share of the first credits at the time of the operation.
func (k *Key) buy(c *Clock, op limitOp, share float64) {
	op.set = func(bought, _ float64) float64 { return bought + share*k.limit0 }
	k.ops = append(k.ops, op)
}

func accountClass(id int) string {
	return accountKinds[id%len(accountKinds)].name + "-" + spendShapes[id/len(accountKinds)%len(spendShapes)].name
}

func buildAccount(seed uint64, id int, c *Clock) *Key {
	r := newRand(seed, uint64(id))
	k := &Key{ID: id, Class: accountClass(id), Reset: Never, Account: true}
	k.Name = fmt.Sprintf("%s-%d", k.Class, id)
	k.Env.Lag, k.Env.TTL, k.Env.Every = r.IntN(60), 3*300, 5
	k.Env.Lives = oneLife(id, c, r)
	k.limit0 = r.LogU(100, 20000)
	accountKinds[id%len(accountKinds)].build(k, c, r, spendShapes[id/len(accountKinds)%len(spendShapes)].build(c, r))
	k.simulate(c, r)
	return k
}

func accountFamilies() map[string]func(*scrapeView) (float64, bool) {
	live := func(f func(s *snapshot) float64) func(*scrapeView) (float64, bool) {
		return func(v *scrapeView) (float64, bool) { return f(&v.l.data), v.live }
	}
	return map[string]func(*scrapeView) (float64, bool){
		"aigateway_account_bought_credits":  live(func(s *snapshot) float64 { return s.limit }),
		"aigateway_account_used_credits":    live(func(s *snapshot) float64 { return s.limit - s.rem }),
		"aigateway_account_balance_credits": live(func(s *snapshot) float64 { return s.rem }),
		"aigateway_account_last_success_timestamp_seconds": func(v *scrapeView) (float64, bool) {
			return float64(v.l.okPoll), v.l.okPoll > 0
		},
	}
}

// spendShapes are how the spend of an account is distributed over time.
var spendShapes = []struct {
	name  string
	build func(c *Clock, r *Rand) []float64
}{
	{"steady", flat},
	{"office", func(c *Clock, r *Rand) []float64 { return office(c, r, false) }},
	{"weekdays", func(c *Clock, r *Rand) []float64 { return office(c, r, true) }},
	{"bursty", bursts},
	{"nightly", nightly},
}
