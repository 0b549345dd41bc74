/**
 * Makes a generator whose `return()` ends it at once, also while a caller awaits the next value.
 *
 * @param run begins it, and ends it quietly when its signal says so
 */
export function endable<Event>(
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => AsyncGenerator<Event, void, undefined>,
): AsyncGenerator<Event, void, undefined> {
  const ending = new AbortController();
  const events = run(signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal]));
  // A generator’s own `return()` waits behind the pending `next()`.
  const end = events.return.bind(events);
  events.return = (value) => {
    ending.abort();
    return end(value);
  };
  return events;
}
