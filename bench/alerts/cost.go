package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/prometheus/prometheus/model/labels"
)

const evaluations = 10

// cost measures what one evaluation of a rule file costs with n keys and eight days of history, or serves both to a Prometheus.
func cost(w io.Writer, files []RuleSet, n int, folder string) error {
	if folder != "" {
		return serveKeys(w, folder, n)
	}
	if len(files) != 1 {
		return fmt.Errorf("-rules names %d files, want one", len(files))
	}
	return evaluate(w, files[0], n)
}

// evaluate evaluates a rule file in a real TSDB. It prints CPU seconds per minute by group, and the memory with and without the results.
func evaluate(w io.Writer, set RuleSet, n int) error {
	run, err := newSetRun(set, newMemStore(0), (historyDays+1)*daySec*1000, true)
	if err != nil {
		return err
	}
	defer run.finish()
	if err := checkHistory(set.File); err != nil {
		return err
	}
	end := time.Date(2026, 3, 18, 15, 0, 0, 0, time.UTC).Unix()
	keys := evenKeys(n, end)
	written, err := writeHistory(run.db, keys, end)
	if err != nil {
		return err
	}
	// Prometheus compacts every two hours; here it would disturb the measurement.
	if err := run.db.Compact(context.Background()); err != nil {
		return err
	}
	run.db.DisableCompactions()
	before := memory()
	spent, each := map[string]time.Duration{}, map[string][]time.Duration{}
	for m := 0; m < evaluations; m++ {
		at := end + int64(m)*60
		app := run.db.Appender(context.Background())
		scrapeAll(keys, at, func(l labels.Labels, t int64, v float64) {
			_, e := app.Append(0, l, t*1000, v)
			err = errors.Join(err, e)
		})
		if err := errors.Join(err, app.Commit()); err != nil {
			return err
		}
		for _, g := range run.groups {
			used, err := processorTimeOf(func() { g.Eval(context.Background(), time.Unix(at, 0).UTC()) })
			if err != nil {
				return err
			}
			// The first evaluation creates the series.
			if m > 0 {
				spent[g.Name()] += perMinute(used, g.Interval())
			}
			for _, r := range g.Rules() {
				if m > 0 {
					each[r.Name()] = append(each[r.Name()], perMinute(r.GetEvaluationDuration(), g.Interval()))
				}
				if err := r.LastError(); err != nil {
					return fmt.Errorf("%s: %w", r.Name(), err)
				}
			}
		}
	}
	total := time.Duration(0)
	var rows [][]string
	for _, g := range run.groups {
		mean := spent[g.Name()] / (evaluations - 1)
		total += mean
		rows = append(rows, []string{g.Name(), fmt.Sprint(len(g.Rules())), fmt.Sprintf("%.3f", mean.Seconds())})
	}
	rows = append(rows, []string{"TOTAL", "", fmt.Sprintf("%.3f", total.Seconds())})
	printTable(w, []string{"group", "rules", "cpu s/min"}, rows)
	printTable(w, []string{"rule", "µs/min for a key"}, dearest(each, n))
	fmt.Fprintf(w, "\n%d keys, %d samples of history, %.0f MB with history, %.0f MB after evaluation\n", n, written, before, memory())
	return nil
}

// perMinute is what an evaluation costs in each minute if it is repeated after an interval.
func perMinute(spent, interval time.Duration) time.Duration {
	return time.Duration(float64(spent) * float64(time.Minute) / float64(interval))
}

// dearest lists the rules, the one that takes longest first. It is wall time, which other processes lengthen, so the fastest evaluation counts.
func dearest(each map[string][]time.Duration, keys int) (rows [][]string) {
	fastest := map[string]float64{}
	for name, times := range each {
		fastest[name] = float64(slices.Min(times).Nanoseconds()) / 1000 / float64(keys)
	}
	names := slices.SortedFunc(maps.Keys(fastest), func(a, b string) int { return cmp.Compare(fastest[b], fastest[a]) })
	for _, name := range names {
		rows = append(rows, []string{name, fmt.Sprintf("%.1f", fastest[name])})
	}
	return rows
}

// processorTimeOf returns how long this process computes while it does some work; other processes do not affect it.
func processorTimeOf(work func()) (time.Duration, error) {
	begin, err := processorTime()
	if err != nil {
		return 0, err
	}
	work()
	end, err := processorTime()
	return end - begin, err
}

// processorTime returns how long this process computed so far.
func processorTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, os.NewSyscallError("getrusage", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// memory is the heap in use, in megabytes, after a collection.
func memory() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / 1e6
}
