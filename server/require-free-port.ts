import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Tries out the port that is going to be opened last. Another process may still take it meanwhile; opening it then says so.
 *
 * @throws the error of listening, as the server itself would
 */
export async function requireFreePort({ port, host }: { readonly port: number; readonly host: string }): Promise<void> {
  if (port === 0) return;
  const probe = createServer().listen(port, host);
  await once(probe, 'listening');
  await new Promise((resolve) => probe.close(resolve));
}
