import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { readRows } from '../../clients/console/src/pages/tables/rows-api.ts';

/** Begins its answer, and never ends it. */
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('[{"id":');
});
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('an answer that is broken off is no answer, and not one without rows', async () => {
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rest/v1/notes`;
  const gone = new AbortController();
  const begun = new Promise<void>((begins) => server.once('request', () => begins()));
  const read = readRows(address, { path: address, apikey: 'key' }, gone.signal);
  await begun;
  // Headers are there by the next turn or two; whichever it is, the reading ends in a refusal.
  setTimeout(() => gone.abort(), 100);
  await expect(read).rejects.toMatchObject({ code: 'NO_ANSWER' });
});
