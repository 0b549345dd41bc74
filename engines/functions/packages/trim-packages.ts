import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Unpacked } from './unpack-package.ts';

/** Code of packages that is kept for builds to come, in bytes. */
const bytesMax = 2 * 1024 * 1024 * 1024;
/** What was used so lately may be in use, in milliseconds. */
const inUseMs = 60 * 60 * 1_000;

/** Takes away the packages that were used longest ago, until the others fit. */
export async function trimPackages(within: string, most = bytesMax): Promise<void> {
  const found = await Promise.all((await readdir(within)).map((name) => measured(join(within, name))));
  const now = Date.now();
  let bytes = found.reduce((sum, one) => sum + one.bytes, 0);
  for (const { folder, bytes: of, usedAt } of found.sort((a, b) => a.usedAt - b.usedAt)) {
    if (bytes <= most || now - usedAt < inUseMs) return;
    await rm(folder, { recursive: true, force: true });
    bytes -= of;
  }
}

/** A folder that was left half made counts as used when it was made. */
async function measured(folder: string): Promise<{ folder: string; bytes: number; usedAt: number }> {
  const file = join(folder, 'package.json');
  const known = await Promise.all([readFile(file, 'utf8'), stat(file)]).catch(() => undefined);
  if (known === undefined)
    return { folder, bytes: 0, usedAt: (await stat(folder).catch(() => undefined))?.mtimeMs ?? 0 };
  return { folder, bytes: (JSON.parse(known[0]) as Unpacked).bytes, usedAt: known[1].mtimeMs };
}
