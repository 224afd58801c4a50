package command

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"equiproof-log/internal/folder"
	"equiproof-log/internal/service"
	"equiproof-log/internal/witness"
)

// ending is how long a service that stops waits for what is on its way.
const ending = 10 * time.Second

// witnesses reads those of the options.
func (g *given) witnesses() ([]*witness.Witness, error) {
	var group []*witness.Witness
	for _, words := range g.values[cosigner.name] {
		one, err := witness.Parse(words)
		if err != nil {
			return nil, err
		}
		group = append(group, one)
	}
	return group, nil
}

// opened opens a log and publishes what the last writer left unpublished. Before anything is appended, the witnesses say
// whether they have seen more of the log than there is.
func opened(ctx context.Context, s streams, g *given) (*folder.Log, *witness.Group, error) {
	witnesses, err := g.witnesses()
	if err != nil {
		return nil, nil, err
	}
	begun := time.Now()
	log, err := folder.Open(ctx, g.words[0], g.text(key.name))
	if err != nil {
		return nil, nil, err
	}
	s.steps.Note("checking the folder", begun, "entries", log.Entries())
	group := witness.NewGroup(log, witnesses, s.warn)
	group.Published = published(s.steps.Note)
	if err := group.Round(ctx); err != nil {
		return nil, nil, errors.Join(err, log.Close())
	}
	return log, group, nil
}

// published writes a checkpoint's step.
func published(note func(string, time.Time, ...any)) func(time.Time, uint64, int, int) {
	return func(begun time.Time, size uint64, signed, asked int) {
		note("publishing", begun, "entries", size, "witnesses_asked", asked, "witnesses_signed", signed)
	}
}

// answer serves a log until it is told to stop.
func answer(ctx context.Context, s streams, g *given) (err error) {
	if err := g.alone(); err != nil {
		return err
	}
	hosts := g.values[host.name]
	if err := service.Names(hosts); err != nil {
		return err
	}
	// Who connects while the folder is checked waits.
	listener, err := listener(g)
	if err != nil {
		return err
	}
	log, group, err := opened(ctx, s, g)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	if err := s.print(fmt.Sprintf("serving %s with %d entries at %s\n", log.Path(), log.Size(), place(listener))); err != nil {
		return errors.Join(err, listener.Close())
	}
	begun := time.Now()
	s.steps.Note("listening", begun, "at", listener.Addr().Network())
	defer func() { s.steps.Note("serving", begun, "entries", log.Entries()) }()
	group.Published = published(s.steps.Often)
	return serve(ctx, service.Server(log, hosts), group, log, listener)
}

// listener listens where the options say.
func listener(g *given) (net.Listener, error) {
	switch at, path := g.text(listen.name), g.text(socket.name); {
	case (at == "") == (path == ""):
		return nil, misuse("Give either --listen or --socket.")
	case at != "":
		return service.Listen(at)
	default:
		return service.ListenAt(path)
	}
}

func place(listener net.Listener) string {
	if listener.Addr().Network() == "unix" {
		return listener.Addr().String()
	}
	return "http://" + listener.Addr().String()
}

// serve answers until the context ends or the log cannot go on. What was on its way is answered first, and published.
func serve(ctx context.Context, server *http.Server, group *witness.Group, log *folder.Log, listener net.Listener) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 2)
	go func() { ended <- server.Serve(listener) }()
	published := make(chan error, 1)
	go func() { published <- group.Run(running) }()
	var err error
	select {
	case <-ctx.Done():
	case <-log.Failed():
		err = log.Broken()
	case err = <-published:
		published <- nil
	case err = <-ended:
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), ending)
	defer cancel()
	if server.Shutdown(last) != nil {
		err = errors.Join(err, fmt.Errorf("%s: some clients were cut off", log.Path()))
	}
	stop()
	<-published
	if err != nil {
		return err
	}
	return group.Round(context.WithoutCancel(ctx))
}
