import type { Cli } from '../cli.ts';
import { Failure } from '../failure.ts';
import { note, pause } from '../progress.ts';
import { send } from './gateway.ts';
import { graphFailure } from './graphql.ts';
import { eventsOf } from './sse.ts';

interface Following {
  /** A subscription with the variable `$after`, whose events have a `cursor`. */
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly after?: string | undefined;
  /** Whether it ends by itself, and is not to be begun again then. */
  readonly ends?: true;
}

/** Pauses between tries to get back, in milliseconds; the last one repeats. */
const pauses = [250, 1_000, 3_000, 10_000];

/**
 * Follows a subscription as an event stream. What drops is taken up at the last cursor, without a gap or a repeat.
 *
 * @throws the gateway's refusal; what merely failed to answer is tried again
 */
export async function* follow<Event>(cli: Cli, { document, variables, after, ends }: Following): AsyncGenerator<Event> {
  let cursor = after;
  let failures = 0;
  while (!cli.signal.aborted) {
    try {
      const response = await send(cli, {
        method: 'POST',
        path: '/graphql',
        headers: { accept: 'text/event-stream' },
        body: { query: document, variables: { ...variables, after: cursor } },
      });
      for await (const { event, data } of eventsOf(response.body!)) {
        if (event !== 'next' || data === '') continue;
        const { data: got, errors } = JSON.parse(data) as { data?: Record<string, Event> | null; errors?: [] };
        if (errors !== undefined) throw graphFailure(errors);
        const told = Object.values(got ?? {})[0]!;
        failures = 0;
        cursor = (told as { cursor?: string }).cursor ?? cursor;
        yield told;
      }
      if (ends === true) return;
    } catch (error) {
      if (cli.signal.aborted) return;
      if (error instanceof Failure && error.envelope.retryable !== true) throw error;
    }
    note(cli, 'The stream dropped; taking it up again.');
    await pause(cli, pauses[Math.min(failures, pauses.length - 1)]!);
    failures += 1;
  }
}
