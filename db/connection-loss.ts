/** Of a connection that was made to a standby, which cannot serve. */
export const notPrimary = 'NOT_PRIMARY';

const lossCodes = new Set([
  notPrimary,
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '53300', // too_many_connections
  '08000',
  '08001',
  '08003',
  '08006',
]);
const lossMessages =
  /Connection terminated|connection timeout|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|read ECONN|Cannot use a pool after|Query read timeout/i;

/** Whether an error says that the database could not be reached or went away, rather than that it refused. */
export function isConnectionLoss(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && lossCodes.has(code)) return true;
    if (lossMessages.test(at.message)) return true;
    if (at instanceof AggregateError && at.errors.some(isConnectionLoss)) return true;
  }
  return false;
}
