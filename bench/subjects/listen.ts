import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a free port of this machine alone, says which, and ends when it is asked to. */
export function listen(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`serves at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  });
  process.on('SIGTERM', () => process.exit(0));
}
