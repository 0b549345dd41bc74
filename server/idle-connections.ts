import { sqlState } from '../db/pool.ts';

/** Connections that break within this time are logged together: a server that restarts ends them all. */
const togetherMs = 1_000;

export interface IdleConnectionsOptions {
  readonly warn: (message: string, facts: Record<string, unknown>) => void;
  readonly isStopping: () => boolean;
}

/**
 * Warns once of all idle connections that broke together, by where they led. It is silent while the gateway stops: its
 * database may be stopped beside it, and then every idle connection ends.
 *
 * @returns to be told of each that broke
 */
export function createIdleConnections({ warn, isStopping }: IdleConnectionsOptions) {
  const broken = new Map<string, number>();
  return (database: string, error: Error): void => {
    const before = broken.get(database) ?? 0;
    broken.set(database, before + 1);
    if (before > 0) return;
    setTimeout(() => {
      const connections = broken.get(database);
      broken.delete(database);
      if (isStopping()) return;
      warn('Idle database connections broke. No request was under way on them, and the next one opens a new one.', {
        database,
        connections,
        reason: error.message,
        sql_state: sqlState(error),
      });
    }, togetherMs).unref();
  };
}
