package witness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"equiproof-log/internal/folder"
)

const (
	answerTime = 5 * time.Second
	firstRetry = time.Second
	lastRetry  = time.Minute
	// renewal is how old a signature gets before a witness is asked for a new one of the same checkpoint: it says that the log
	// has not gone further.
	renewal = 10 * time.Minute
	// pause lies between two checkpoints.
	pause = 100 * time.Millisecond
)

// Group publishes the checkpoints of one log, with the signatures of its witnesses. What a witness lacks is said, and does
// not stop the log, unless it is a fork.
type Group struct {
	log       *folder.Log
	witnesses []*Witness
	say       func(line string)
	client    *http.Client
	// Published, unless it is nil, is told when a checkpoint was published: since when it was made, its entries, and how many
	// witnesses signed it of those that were asked.
	Published func(begun time.Time, size uint64, signed, asked int)
}

// NewGroup returns the witnesses of a log; say takes what goes wrong with one of them.
func NewGroup(log *folder.Log, witnesses []*Witness, say func(line string)) *Group {
	for _, one := range witnesses {
		one.remember(log.Published())
	}
	refuse := func(*http.Request, []*http.Request) error { return errors.New("it sent the log elsewhere") }
	return &Group{log: log, witnesses: witnesses, say: say, client: &http.Client{Timeout: answerTime, CheckRedirect: refuse}}
}

// Run publishes after each growth, and asks again for signatures that are missing or old, until the context ends.
func (g *Group) Run(ctx context.Context) error {
	for {
		later := time.NewTimer(g.nextAsk())
		select {
		case <-ctx.Done():
			later.Stop()
			return nil
		case <-g.log.Grown():
		case <-later.C:
		}
		later.Stop()
		if err := g.Round(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// Round signs and publishes everything that was added, with the signatures of all witnesses that answer in time.
func (g *Group) Round(ctx context.Context) error {
	begun, before := time.Now(), g.log.Published().Data
	next, err := g.log.Next(ctx)
	if err != nil {
		return err
	}
	lines := make([]string, len(g.witnesses))
	failed := make([]error, len(g.witnesses))
	count, asked := 0, sync.WaitGroup{}
	for at, one := range g.witnesses {
		if !one.wanted(next) {
			continue
		}
		count++
		asked.Go(func() { lines[at], failed[at] = one.cosign(ctx, g.client, g.log, next) })
	}
	asked.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	for at, one := range g.witnesses {
		var fork folder.ForkError
		if errors.As(failed[at], &fork) {
			return fork
		}
		one.judge(failed[at], lines[at], g.say)
	}
	names := without(lines, "")
	err = g.log.Publish(next, names)
	if err == nil && g.Published != nil && !bytes.Equal(before, g.log.Published().Data) {
		g.Published(begun, next.Size, len(names), count)
	}
	return err
}

// wanted says whether a witness is to be asked now.
func (w *Witness) wanted(next folder.Published) bool {
	if w.failures > 0 {
		return !time.Now().Before(w.due)
	}
	return w.size != next.Size || time.Since(w.time) >= renewal
}

// judge notes how a request ended, and says what is new about it.
func (w *Witness) judge(err error, line string, say func(string)) {
	switch {
	case err != nil:
		w.due = time.Now().Add(min(firstRetry<<min(w.failures, 16), lastRetry))
		w.failures++
		if err.Error() != w.said {
			say(fmt.Sprintf("witness %s: %v; the log goes on, and asks again", w.Name(), err))
		}
		w.said = err.Error()
	case line != "":
		if w.failures > 0 {
			say(fmt.Sprintf("witness %s: signs again", w.Name()))
		}
		w.failures, w.said = 0, ""
	}
}

// nextAsk is how long nothing is to be done for the witnesses.
func (g *Group) nextAsk() time.Duration {
	soonest := renewal
	for _, one := range g.witnesses {
		next := time.Until(one.time.Add(renewal))
		if one.failures > 0 {
			next = time.Until(one.due)
		}
		soonest = min(soonest, next)
	}
	return max(soonest, pause)
}

func without(lines []string, left string) []string {
	var rest []string
	for _, line := range lines {
		if line != left {
			rest = append(rest, line)
		}
	}
	return rest
}
