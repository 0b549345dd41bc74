import { parentPort } from 'node:worker_threads';
import { analyse } from './analyse.ts';
import type { SiteSnapshot } from './site-snapshot.ts';

parentPort!.on('message', (snapshot: SiteSnapshot) => {
  parentPort!.postMessage(analyse(snapshot));
});
