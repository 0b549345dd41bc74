import { authGroup } from './auth.ts';

/**
 * When the server's statistics began. They outlive a server that is stopped in order and no crash of one: a crash is told
 * by it. After one, numbers of transactions that were aborted are used again, which cursors of live hints count on.
 */
export const crashMarkStatements: readonly string[] = [
  `grant execute on function pg_catalog.pg_stat_get_bgwriter_stat_reset_time() to ${authGroup}`,
];
