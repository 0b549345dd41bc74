import { createHash } from 'node:crypto';
import type { LockedPackage } from '../../../db/schema/functions.ts';

/** What a function runs on, whatever the gateway runs on. */
export interface PackagePlatform {
  readonly os: 'linux';
  readonly cpu: string;
  readonly libc: 'glibc';
  /** Version of Node.js. */
  readonly node: string;
}

/** What a package is wrong about, for the person who named it. */
export class PackageError extends Error {
  override readonly name = 'PackageError';
}

const algorithms = ['sha512', 'sha384', 'sha256', 'sha1'] as const;

/** The strongest digest of an integrity. @throws PackageError */
export function digestOf(integrity: string, of: string): { readonly algorithm: string; readonly base64: string } {
  const found = integrity.split(/\s+/).map((one) => /^([a-z0-9]+)-([A-Za-z0-9+/]+={0,2})(?:\?.*)?$/.exec(one));
  for (const algorithm of algorithms) {
    const one = found.find((match) => match?.[1] === algorithm);
    if (one) return { algorithm, base64: one[2]! };
  }
  throw new PackageError(`${of} has no digest that its archive could be compared with`);
}

/** The folder of a package below the one of all, by what it has to be. */
export const folderOf = ({ name, integrity }: Pick<LockedPackage, 'name' | 'integrity'>): string =>
  createHash('sha256').update(`${name}\n${integrity}`).digest('hex').slice(0, 32);
