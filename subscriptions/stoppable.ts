/**
 * A generator that ends at once on request. Its own return() would wait for a pending next(), so for the next
 * hint.
 *
 * @param run makes the generator, which ends when its signal is aborted
 */
export function stoppable<Event>(
  signal: AbortSignal,
  run: (signal: AbortSignal) => AsyncGenerator<Event, void, undefined>,
): AsyncGenerator<Event, void, undefined> {
  const stop = new AbortController();
  const events = run(AbortSignal.any([signal, stop.signal]));
  const finish = events.return.bind(events);
  events.return = (value) => {
    stop.abort();
    return finish(value);
  };
  return events;
}
