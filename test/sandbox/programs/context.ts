import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNode } from '../../../engines/sandbox/find-node.ts';
import { makeImage } from '../../../engines/sandbox/image.ts';
import type { LaunchContext } from '../../../engines/sandbox/launch.ts';

/** What boxes of a program are made of, in a folder of its own. */
export async function makeContext(): Promise<LaunchContext & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-boxes-'));
  const node = findNode();
  if (node === undefined) throw new Error('There is no Node.js 22.');
  const image = join(folder, 'image');
  await mkdir(image);
  await makeImage(image, node);
  return { folder, node, image, slots: join(folder, 'slots'), rung: 'namespaces' };
}
