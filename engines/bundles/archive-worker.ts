import { parentPort } from 'node:worker_threads';
import { type Archive, type ArchiveParts, buildArchives } from './archive.ts';

/** Archives, or why there are none. */
export type Built = { readonly archives: readonly Archive[] } | { readonly failure: string };

parentPort!.on('message', async (parts: ArchiveParts) => {
  const built: Built = await buildArchives(parts).then(
    (archives) => ({ archives }),
    (error: unknown) => ({ failure: String(error) }),
  );
  parentPort!.postMessage(built);
});
