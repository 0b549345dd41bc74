import type { Cli } from '../cli.ts';
import { connection, failed } from './gateway.ts';

interface Following {
  /** A subscription with the variable `$after`, whose events have a `cursor`. */
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Cursor to begin after. */
  readonly after?: string | undefined;
}

/**
 * Follows a subscription over a socket. What drops is taken up at the last cursor, without a gap or a repeat; it ends
 * when the process is asked to.
 *
 * @throws Failure with the gateway's refusal
 */
export async function* follow<Event>(cli: Cli, { document, variables, after }: Following): AsyncGenerator<Event> {
  const [gateway, { subscribe }] = await Promise.all([connection(cli), import('../../../sdk/src/subscribe.ts')]);
  try {
    const events = subscribe<Record<string, Event>>(gateway, document, { ...variables, after }, { signal: cli.signal });
    for await (const told of events) yield Object.values(told)[0]!;
  } catch (error) {
    if (!cli.signal.aborted) throw failed(cli, error);
  }
}
