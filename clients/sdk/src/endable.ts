/**
 * Makes a generator whose `return()` ends it at once, also while somebody waits for what comes next.
 *
 * @param run begins it, and ends it quietly when its signal says so
 */
export function endable<Event>(
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => AsyncGenerator<Event, void, undefined>,
): AsyncGenerator<Event, void, undefined> {
  const ending = new AbortController();
  const events = run(signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal]));
  // A generator’s own waits for its turn behind whoever has asked for the next event.
  const end = events.return.bind(events);
  events.return = (value) => {
    ending.abort();
    return end(value);
  };
  return events;
}
