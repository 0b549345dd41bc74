import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findNode } from './find-node.ts';
import { findProgram, makeImage } from './image.ts';
import type { LaunchContext } from './launch.ts';
import { makeOwnFolder, type OwnFolder } from './own-folder.ts';
import { type Probe, probeBoxes } from './probe.ts';

/** What all boxes of a runner have in common, in a folder of this run's own. */
export interface Boxes {
  readonly context: LaunchContext;
  readonly probe: Probe;
  readonly folder: OwnFolder;
}

/** Makes it, and looks whether boxes hold. @throws Error when the machine lacks Node.js 22 */
export async function makeContext(parent: string): Promise<Boxes> {
  const node = findNode();
  if (node === undefined)
    throw new Error('Functions need Node.js 22: install the package of this platform, or run the gateway on it.');
  await mkdir(parent, { recursive: true });
  const folder = await makeOwnFolder(parent);
  // Boxes of root have users of their own, who pass through it.
  await chmod(folder.path, 0o711);
  const [image, slots] = [join(folder.path, 'image'), join(folder.path, 'slots')];
  await mkdir(image);
  const fault = await makeImage(image, node).catch((error: unknown) => String(error));
  const probe: Probe =
    fault === undefined ? await probeBoxes({ node, image, slots }) : { rung: 'process', reason: fault };
  const setpriv = process.platform === 'linux' ? await findProgram('setpriv').catch(() => undefined) : undefined;
  return { context: { node, image, slots, rung: probe.rung, setpriv }, probe, folder };
}
