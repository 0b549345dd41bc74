import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar, type TarEntry } from 'modern-tar';

/** A version of a package as its author publishes it: its `package.json`, and its files by path. */
export interface Published {
  readonly manifest: Readonly<Record<string, unknown>> & { readonly name: string; readonly version: string };
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** The whole archive instead, as it is. */
  readonly archive?: Uint8Array;
  /** What the registry says of the archive instead of what is so. */
  readonly dist?: Readonly<Record<string, string>>;
}

export interface NpmRegistry {
  /** Without a trailing slash. */
  readonly url: string;
  readonly publish: (...versions: readonly Published[]) => Promise<void>;
  /** Paths that were asked for, with what they were asked with. */
  readonly asked: { readonly path: string; readonly authorization: string | undefined }[];
  /** Answers requests instead, where it says that it has. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  readonly stop: () => Promise<void>;
}

/** An archive as npm packs it. */
export async function archiveOf(entries: readonly TarEntry[]): Promise<Buffer> {
  return gzipSync(await packTar(entries));
}

const entriesOf = (files: Readonly<Record<string, string | Buffer>>): TarEntry[] =>
  Object.entries(files).map(([path, text]) => {
    const body = Buffer.from(text as string);
    return { header: { name: `package/${path}`, size: body.length, type: 'file' }, body };
  });

/** A package that is installed here, as it could be published: real code of others. */
export function installedPackage(name: string): Published {
  const folder = join('node_modules', name);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
    .filter((path) => !relative(folder, path).startsWith('node_modules'))
    .map((path) => [relative(folder, path), readFileSync(path)] as const);
  return { manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')), files: Object.fromEntries(files) };
}

/** Packages that are installed here, with all that they need and that is installed for this machine. */
export function installedWithDependencies(...names: readonly string[]): readonly Published[] {
  const found = new Map<string, Published>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name) || !existsSync(join('node_modules', name))) continue;
    const published = installedPackage(name);
    found.set(name, published);
    const { dependencies, optionalDependencies } = published.manifest;
    waiting.push(...Object.keys({ ...(dependencies as object), ...(optionalDependencies as object) }));
  }
  return [...found.values()];
}

/** A registry that speaks what npm asks registries, with packages of a test's own. */
export async function startNpmRegistry(): Promise<NpmRegistry> {
  const documents = new Map<
    string,
    { name: string; versions: Record<string, unknown>; 'dist-tags': { latest: string } }
  >();
  const archives = new Map<string, Uint8Array>();
  const asked: NpmRegistry['asked'] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url!);
    asked.push({ path, authorization: request.headers.authorization });
    if (registry.instead?.(request, response)) return;
    const archive = archives.get(path);
    const document = documents.get(path.slice(1));
    if (archive !== undefined) response.end(archive);
    else if (document !== undefined) response.end(JSON.stringify(document));
    else response.writeHead(404).end('{}');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const registry: NpmRegistry = {
    url,
    asked,
    instead: undefined,
    async publish(...versions) {
      for (const { manifest, files = {}, archive, dist } of versions) {
        const { name, version } = manifest;
        const whole = { 'package.json': JSON.stringify(manifest), ...files };
        const bytes = archive ?? (await archiveOf(entriesOf(whole)));
        const path = `/${name}/-/${name.slice(name.indexOf('/') + 1)}-${version}.tgz`;
        archives.set(path, bytes);
        const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
        const document = documents.get(name) ?? { name, versions: {}, 'dist-tags': { latest: version } };
        document.versions[version] = { ...manifest, dist: { tarball: url + path, integrity, ...dist } };
        document['dist-tags'] = { latest: version };
        documents.set(name, document);
      }
    },
    stop: () => new Promise((stopped) => server.close(() => stopped()).closeAllConnections()),
  };
  return registry;
}
