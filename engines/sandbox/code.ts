import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { giveTo } from './launch.ts';
import type { LoadedFunction } from './runner.ts';

/** Puts the code of a function where its box sees it: what is written after the mount is seen as well. */
export async function placeCode(code: LoadedFunction['code'], folder: string, uid: number | undefined): Promise<void> {
  const file = join(folder, 'main.mjs');
  if ('path' in code) await copyFile(code.path, file);
  else await writeFile(file, code.bytes);
  await giveTo(uid, file);
}
