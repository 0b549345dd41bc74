import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const source = fileURLToPath(new URL('../../clients/sdk/src', import.meta.url));

/** A program as a browser would load it. */
export interface Bundle {
  readonly code: string;
  /** Whatever it imports, of which a browser has none. */
  readonly imports: readonly string[];
  readonly bytes: number;
  readonly gzipBytes: number;
}

/**
 * Bundles a program that uses the SDK, minified, with what it does not use left out.
 *
 * @param program imports from `sdk/…`, which is the folder of the SDK's sources
 */
export async function bundle(program: string): Promise<Bundle> {
  const name = 'virtual:program';
  const built = await build({
    configFile: false,
    root: source,
    logLevel: 'silent',
    plugins: [
      { name: 'program', resolveId: (id) => (id === name ? id : null), load: (id) => (id === name ? program : null) },
    ],
    resolve: { alias: { sdk: source } },
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: { input: name, preserveEntrySignatures: 'strict', external: /^node:/ },
    },
  });
  const outputs = (Array.isArray(built) ? built : [built]).flatMap((one) => ('output' in one ? one.output : []));
  const chunks = outputs.filter((one) => one.type === 'chunk');
  const code = chunks.map((one) => one.code).join('\n');
  const inside = new Set(chunks.map(({ fileName }) => fileName));
  const imports = chunks.flatMap((one) => [...one.imports, ...one.dynamicImports]).filter((one) => !inside.has(one));
  return { code, imports, bytes: Buffer.byteLength(code), gzipBytes: gzipSync(code, { level: 9 }).length };
}

/** What programs weigh that use a part of it. */
export const programs: Readonly<Record<string, string>> = {
  'rooms alone': `export { connect } from 'sdk/connection.ts'; export { rooms } from 'sdk/namespaces/rooms.ts';`,
  'rooms by a wallet': `export { connect } from 'sdk/connection.ts'; export { wallet } from 'sdk/wallet.ts';
    export { rooms } from 'sdk/namespaces/rooms.ts';`,
  'rooms of the whole package': `export { connect, rooms } from 'sdk/index.ts';`,
  'rows and live hints of a project': `export { connect, live, projectKey, rest } from 'sdk/index.ts';`,
  'a typed document': `export { connect, graphql } from 'sdk/index.ts';`,
  everything: `export { createClient } from 'sdk/index.ts';`,
};
