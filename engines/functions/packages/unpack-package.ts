import { createHash, randomUUID } from 'node:crypto';
import { readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { unpackTar } from 'modern-tar/fs';
import type { LockedPackage } from '../../../db/schema/functions.ts';
import { digestOf, folderOf, PackageError } from './lock.ts';
import { type Registry, RegistryUnavailableError } from './registry.ts';

/** What a bundler can take in; nothing else of a package is kept. */
const wanted: ReadonlySet<string> = new Set(['.js', '.mjs', '.cjs', '.json', '.wasm']);

/** Largest archive, and all that is in it, in bytes. */
const archiveBytesMax = 128 * 1024 * 1024;
const unpackedBytesMax = 512 * 1024 * 1024;
/** Files of a package that are kept, folders above one, and the length of its path. */
const filesMax = 30_000;
const depthMax = 40;
const pathMax = 500;

/** What is known of a package that lies in its folder. */
export interface Unpacked {
  /** Where `node_modules/<name>` is. */
  readonly folder: string;
  /** Of what is kept of it. */
  readonly bytes: number;
  /** Whether installing it would compile something. */
  readonly compiles: boolean;
}

/** Beside a package that is whole: what is known of it. The time of its last change is when it was used last. */
const note = 'package.json';

/**
 * Has the code of a package in a folder of its own below another one, where it stays for others.
 *
 * @throws PackageError where the archive is not what the registry says, or would leave its folder; RegistryUnavailableError
 */
export async function unpackPackage(within: string, of: LockedPackage, registry: Registry): Promise<Unpacked> {
  const folder = join(within, folderOf(of));
  const there = await noted(folder);
  if (there !== undefined) return { folder, ...there };
  const making = `${folder}.${randomUUID()}`;
  try {
    const made = await fetchInto(join(making, 'node_modules', of.name), of, registry);
    await writeFile(join(making, note), JSON.stringify(made));
    await rename(making, folder).catch(async (error: NodeJS.ErrnoException) => {
      // Somebody else was quicker.
      if ((await noted(folder)) === undefined) throw error;
    });
    return { folder, ...made };
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

async function noted(folder: string): Promise<Omit<Unpacked, 'folder'> | undefined> {
  const file = join(folder, note);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const now = new Date();
  await utimes(file, now, now);
  return JSON.parse(text);
}

async function fetchInto(folder: string, of: LockedPackage, registry: Registry): Promise<Omit<Unpacked, 'folder'>> {
  const key = `${of.name}@${of.version}`;
  const { algorithm, base64 } = digestOf(of.integrity, key);
  const hash = createHash(algorithm);
  let kept = 0;
  let files = 0;
  let compiles = false;
  const archive = await registry.archive(of);
  const refuse = (why: string): never => {
    throw new PackageError(`the archive of ${key} ${why}`);
  };
  try {
    await pipeline(
      archive,
      counted(
        archiveBytesMax,
        () => refuse('is too large'),
        (chunk) => hash.update(chunk),
      ),
      createGunzip(),
      counted(unpackedBytesMax, () => refuse('is too large')),
      unpackTar(folder, {
        strip: 1,
        strict: true,
        maxDepth: depthMax,
        fmode: 0o644,
        dmode: 0o755,
        filter({ name, type, size }) {
          if (type === 'directory') return false;
          if (type !== 'file') refuse('has links or devices');
          if (!isInside(name)) refuse('has a path that leads out of it');
          if (name === 'binding.gyp') compiles = true;
          if (!wanted.has(extname(name).toLowerCase())) return false;
          files += 1;
          kept += size;
          if (files > filesMax) refuse('has too many files');
          return true;
        },
      }),
    );
  } catch (error) {
    if (error instanceof PackageError) throw error;
    // What breaks off is the network's fault, unless all of it came.
    if (!archive.complete) throw new RegistryUnavailableError(`The archive of ${key} broke off`, { cause: error });
    throw new PackageError(`the archive of ${key} cannot be unpacked`, { cause: error });
  }
  if (hash.digest('base64') !== base64) refuse('is not the one that the registry describes');
  return { bytes: kept, compiles };
}

const isInside = (path: string): boolean =>
  path.length <= pathMax && !path.startsWith('/') && !/[\\\0]/.test(path) && !path.split('/').includes('..');

/** Passes bytes on, up to so many. */
function counted(most: number, refuse: () => never, onChunk?: (chunk: Buffer) => void): Transform {
  let count = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        count += chunk.length;
        if (count > most) refuse();
        onChunk?.(chunk);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });
}
