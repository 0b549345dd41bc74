import { createRequire } from 'node:module';

/** The release line of Node.js that functions are promised. */
const major = '22';

/** The version of Node.js that functions run on. */
export function nodeVersion(): string {
  const require = createRequire(import.meta.url);
  try {
    return (require(`node-${process.platform}-${process.arch}/package.json`) as { readonly version: string }).version;
  } catch {
    return process.versions.node;
  }
}

/** The program of Node.js 22: the one that came as a package or the one the gateway runs on; undefined without either. */
export function findNode(): string | undefined {
  const require = createRequire(import.meta.url);
  try {
    return require.resolve(`node-${process.platform}-${process.arch}/bin/node`);
  } catch {
    // An installation without optional packages, as in a container.
    return process.versions.node.startsWith(`${major}.`) ? process.execPath : undefined;
  }
}
