package main

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
)

// The outlooks of exporter/forecast/outlook.ts, in its order.
var outlooks = []string{"exhausted", "imminent", "predicted", "slow", "lasts", "unlimited", "learning", "unknown"}

// forecast is what one exporter process publishes about a key at one scrape.
type forecast struct {
	outlook    int     // index of outlooks, -1: nothing yet
	exhaustion float64 // unix milliseconds, 0: absent
	left       float64 // share of the limit
}

// forecaster is a process of forecasts.ts, which runs the exporter's own forecast.
type forecaster struct {
	command *exec.Cmd
	in      *bufio.Writer
	out     *bufio.Reader
	history bool // each process begins with the gateway's history
}

func startForecaster(program string, history bool) (*forecaster, error) {
	f := &forecaster{command: exec.Command("node", program), history: history}
	f.command.Stderr = os.Stderr
	in, err := f.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := f.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	f.in, f.out = bufio.NewWriterSize(in, 1<<20), bufio.NewReaderSize(out, 1<<20)
	return f, f.command.Start()
}

// forecasters are as many processes as compute at once.
type forecasters chan *forecaster

// startForecasters starts processes, which end with this one.
func startForecasters(program string, history bool, count int) (forecasters, error) {
	all := make(forecasters, count)
	for range count {
		f, err := startForecaster(program, history)
		if err != nil {
			return nil, err
		}
		all <- f
	}
	return all, nil
}

// play computes what each process of a key publishes, by a forecaster that is free.
func (all forecasters) play(c *Clock, k *Key) error {
	f := <-all
	defer func() { all <- f }()
	return f.play(c, k)
}

// hourCredits is an hour of the gateway's history.
type hourCredits struct {
	StartMs int64   `json:"startMs"`
	Credits float64 `json:"credits"`
}

// history returns what a key spent in each hour of the week before a minute.
func (k *Key) history(c *Clock, until int) []hourCredits {
	hours := []hourCredits{}
	from := max(c.RunFrom, until-7*1440)
	for m := from - from%60; m < until; m += 60 {
		spent := 0.0
		for i := max(m, from); i < min(m+60, until); i++ {
			spent += math.Max(0, k.total[i+1]-k.total[i])
		}
		hours = append(hours, hourCredits{c.unix(m) * 1000, spent})
	}
	return hours
}

var windowNames = map[Reset]string{Daily: "day", Weekly: "week", Monthly: "month"}

// play computes what each process of a key publishes, minute by minute.
func (f *forecaster) play(c *Clock, k *Key) error {
	for i := range k.Env.Lives {
		l := &k.Env.Lives[i]
		from, to := max(l.from, 0), min(l.to, c.RunTo)
		if from >= to {
			continue
		}
		copied := *l
		var rows []float64
		for m := from; m < to; m++ {
			now := c.unix(m) + int64(copied.scrapeAt)
			before := copied.okPoll
			copied.poll(c, k, m, now)
			d := &copied.data
			row := [12]float64{float64(now * 1000)}
			if copied.okPoll > before {
				row = [12]float64{float64(now * 1000), float64(copied.okPoll * 1000), d.total, d.limit, d.rem, float64(d.nextReset * 1000), d.day, d.week, d.month}
				if k.Unlimited {
					row[3] = -1
				}
				if k.Reset == Never {
					row[5] = 0
				}
				if o := k.Other; o != nil {
					row[9], row[10], row[11] = o.limit, d.otherRem, float64(windowEnd(o.reset, d.at)*1000)
				}
			}
			rows = append(rows, row[:]...)
			l.forecasts = append(l.forecasts, forecast{left: d.rem / d.limit})
		}
		request := map[string]any{"kind": "key", "window": windowNames[k.Reset], "topUp": k.TopUp, "isShared": k.Shared, "rows": encodeNumbers(rows)}
		if k.Other != nil {
			request["other"] = windowNames[k.Other.reset]
		}
		if k.Account {
			request["kind"] = "account"
		}
		if f.history {
			request["history"] = map[string]any{"hours": k.history(c, from), "untilMs": c.unix(from) * 1000}
		}
		answer, err := f.ask(request)
		if err != nil {
			return err
		}
		if len(answer) != 2*len(l.forecasts) {
			return fmt.Errorf("the forecaster answered %d numbers to %d rows", len(answer), len(l.forecasts))
		}
		for j := range l.forecasts {
			l.forecasts[j].outlook, l.forecasts[j].exhaustion = int(answer[2*j]), answer[2*j+1]
		}
	}
	return nil
}

func (f *forecaster) ask(request any) ([]float64, error) {
	if err := json.NewEncoder(f.in).Encode(request); err != nil {
		return nil, err
	}
	if err := f.in.Flush(); err != nil {
		return nil, err
	}
	line, err := f.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("the forecaster ended: %w", err)
	}
	return decodeNumbers(line[:len(line)-1])
}

func encodeNumbers(numbers []float64) string {
	bytes := make([]byte, 0, 8*len(numbers))
	for _, x := range numbers {
		bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(x))
	}
	return base64.StdEncoding.EncodeToString(bytes)
}

func decodeNumbers(text string) ([]float64, error) {
	bytes, err := base64.StdEncoding.DecodeString(text)
	numbers := make([]float64, len(bytes)/8)
	for i := range numbers {
		numbers[i] = math.Float64frombits(binary.LittleEndian.Uint64(bytes[8*i:]))
	}
	return numbers, err
}
