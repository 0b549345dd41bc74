import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { Agent, request as send } from 'node:http';
import { extname, join, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inParallel } from '../../core/in-parallel.ts';
import type { Service } from '../helpers/service.ts';

/** The files of a folder and below, by their path with slashes. A folder `node_modules` is no part of a site. */
export async function filesIn(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll(sep, '/'),
    )
    .filter((path) => !path.split('/').includes('node_modules'));
  return new Map(await inParallel(paths, 16, async (path) => [path, await readFile(join(folder, path))] as const));
}

/** Media types as sites want them, by the extension of a file. */
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  // What else has this extension is a film, and so say the tables of types.
  '.ts': 'video/mp2t',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
};

const askAgain = 'public, max-age=0, must-revalidate';
const forAYear = 'public, max-age=31536000, immutable';

/** A fingerprint as docs/using/deploys.md has it: 8 or more hexadecimal digits, between what separates words. */
const hasFingerprint = (path: string): boolean => /(?:^|[._-])[0-9a-f]{8,}[._-][^/]*$/i.test(path.replace(/.*\//, ''));

/** What is said of a file, or of an answer. */
interface Shown {
  readonly path: string;
  readonly status: number;
  readonly type: string | undefined;
  readonly tag: string | undefined;
  readonly cache: string | undefined;
  readonly size: number;
  readonly sha256: string;
}

export interface Served {
  /** Of each address that was asked, what was expected where the answer was another. */
  readonly differences: readonly { readonly expected: Shown; readonly answered: Shown }[];
  /** Addresses of files that browsers keep for a year. */
  readonly kept: readonly string[];
  /** How many addresses were asked. */
  readonly asked: number;
}

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/**
 * Asks a host for each of some files at its own path, and for a page at its plain address, too, 16 at a time over connections
 * that are kept.
 */
export async function served(
  service: Pick<Service, 'url'>,
  host: string,
  files: ReadonlyMap<string, Buffer>,
): Promise<Served> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const { port, hostname } = new URL(service.url);
  const ask = (path: string) =>
    new Promise<{ readonly shown: Shown; readonly retryAfter: string | undefined }>((resolve, reject) => {
      const headers = { host: `${host}:${port}` };
      const sent = send({ agent, hostname, port, path: encodeURI(path), headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const body = Buffer.concat(chunks);
          const said = answer.headers;
          const shown = { path, status: answer.statusCode!, type: said['content-type'], tag: said.etag };
          resolve({
            shown: { ...shown, cache: said['cache-control'], size: body.length, sha256: sha256Of(body) },
            retryAfter: said['retry-after'],
          });
        });
      });
      sent.on('error', reject);
      sent.end();
    });
  // There is a limit for each address, and it is said when to come again.
  const patiently = async (path: string): Promise<Shown> => {
    for (;;) {
      const { shown, retryAfter } = await ask(path);
      if (shown.status !== 429) return shown;
      await pause(Number(retryAfter ?? 1) * 1_000);
    }
  };
  const addresses = [...files].flatMap(([file, bytes]) =>
    addressesOf(file).map((path) => ({ path, expected: expectedOf(file, path, bytes) })),
  );
  try {
    const answers = await inParallel(addresses, 16, async ({ path, expected }) => ({
      expected,
      answered: await patiently(path),
    }));
    return {
      differences: answers.filter(({ expected, answered }) => JSON.stringify(expected) !== JSON.stringify(answered)),
      kept: answers.flatMap(({ answered: { path, cache } }) => (cache === forAYear ? [path] : [])),
      asked: answers.length,
    };
  } finally {
    agent.destroy();
  }
}

function addressesOf(file: string): string[] {
  const path = `/${file}`;
  if (path.endsWith('/index.html')) return [path, path.slice(0, -'index.html'.length)];
  return path.endsWith('.html') ? [path, path.slice(0, -'.html'.length)] : [path];
}

function expectedOf(file: string, path: string, bytes: Buffer): Shown {
  const sha256 = sha256Of(bytes);
  const isKept = hasFingerprint(file) && !file.endsWith('.html');
  return {
    path,
    status: 200,
    type: types[extname(file)] ?? 'application/octet-stream',
    tag: `"sha256-${sha256}"`,
    cache: isKept ? forAYear : askAgain,
    size: bytes.length,
    sha256,
  };
}
