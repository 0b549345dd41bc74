import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded/start.ts';

/** How often a server that ended is started again before the gateway gives up. */
const restartsMax = 5;
const restartPauseMs = 500;

/** The gateway's own Postgres, kept alive. */
export interface OwnPostgres extends Pick<EmbeddedPostgres, 'url' | 'port' | 'dataDir' | 'stop'> {
  /** Resolves when the server has ended and will not start again. */
  readonly givenUp: Promise<void>;
}

/**
 * Starts the embedded Postgres and starts it again whenever it ends by itself, on the same port, since the pools know
 * its address. Meanwhile requests are refused as during any outage.
 *
 * @throws EmbeddedPostgresError when it does not start at all
 */
export async function startOwnPostgres(dataDir: string, log: Logger): Promise<OwnPostgres> {
  const report = (message: string, facts?: Record<string, unknown>) => log.info({ postgres: facts }, message);
  const first = await startEmbeddedPostgres({ dataDir, log: report });
  let current = first;
  let restarting: Promise<boolean> | undefined;
  let stopping: Promise<void> | undefined;

  async function keep(): Promise<void> {
    for (;;) {
      await current.exited;
      log.error('The embedded Postgres ended; it is started again.');
      restarting = restart();
      if (!(await restarting)) break;
    }
    // Being stopped is no failure.
    if (stopping !== undefined) await new Promise<never>(() => {});
  }

  async function restart(): Promise<boolean> {
    // Gives the folder back, so that the next server can have it.
    await current.stop();
    for (let attempt = 1; attempt <= restartsMax && stopping === undefined; attempt++) {
      try {
        current = await startEmbeddedPostgres({ dataDir, log: report, port: first.port });
        return true;
      } catch (error) {
        log.error({ err: error, attempt }, 'The embedded Postgres does not start.');
        await sleep(restartPauseMs * attempt);
      }
    }
    return false;
  }

  /** A server that is just being started again is not left behind. */
  async function stop(fastMs?: number): Promise<void> {
    await restarting;
    await current.stop(fastMs);
  }

  const { url, port } = first;
  return {
    url,
    port,
    dataDir: first.dataDir,
    // Through a turn of its own, so that `stopping` is set before anything waits.
    stop: (fastMs) => (stopping ??= Promise.resolve().then(() => stop(fastMs))),
    givenUp: keep(),
  };
}
