import { type IncomingMessage, Agent as PlainAgent } from 'node:http';
import { Agent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressKind } from '../../../core/address-kinds.ts';
import { openGuarded } from '../../../core/guarded-request.ts';
import type { LockedPackage } from '../../../db/schema/functions.ts';
import { PackageError } from './lock.ts';

/** Where packages come from. */
export interface RegistrySettings {
  /** Without a trailing slash. The operator named it: it may be private, and speak plain HTTP. */
  readonly url: string;
  /** Sent to the registry itself alone. */
  readonly token: string | undefined;
}

/** A version of a package, as a registry describes it. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly bundleDependencies?: readonly string[] | boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly deprecated?: string;
  readonly dist: { readonly tarball?: string; readonly integrity?: string; readonly shasum?: string };
}

/** All versions of a package. */
export interface Packument {
  readonly name: string;
  readonly versions: Readonly<Record<string, Manifest>>;
}

/** The registry gave no answer that counts, so nothing is known of a package. */
export class RegistryUnavailableError extends Error {
  override readonly name = 'RegistryUnavailableError';
}

export interface Registry {
  /** @throws PackageError, RegistryUnavailableError */
  readonly packument: (name: string) => Promise<Packument>;
  /** The bytes of an archive, which are yet to be compared with their digest. @throws PackageError, RegistryUnavailableError */
  readonly archive: (of: LockedPackage) => Promise<IncomingMessage>;
  /** Null where the archive is where a registry has it by name and version. */
  readonly tarballOf: (manifest: Manifest) => string | null;
  readonly close: () => void;
}

/** Largest description of a package, in bytes. */
const packumentBytesMax = 64 * 1024 * 1024;
const redirectsMax = 3;
/** How long one answer may take, in milliseconds. */
const answerMs = 60_000;
/** Pauses before tries after the first, in milliseconds. */
const pauses = [500, 2_000];

/** A client of a registry of npm: it asks the registry, and servers of the public internet that it leads to. */
export function openRegistry({ url: base, token }: RegistrySettings): Registry {
  const { origin, protocol } = new URL(base);
  const agent = new (protocol === 'http:' ? PlainAgent : Agent)({ keepAlive: true, maxSockets: 8 });

  async function ask(target: string, accept: string, what: string): Promise<IncomingMessage> {
    let url = urlOf(target, what);
    for (let redirects = 0; ; redirects++) {
      const answer = await open(url, accept, what);
      const { statusCode = 0, headers } = answer;
      if (statusCode === 200) return answer;
      answer.resume();
      if ([301, 302, 303, 307, 308].includes(statusCode) && headers.location !== undefined && redirects < redirectsMax)
        url = urlOf(new URL(headers.location, url).href, what);
      else throw refusalOf(statusCode, what);
    }
  }

  function open(url: URL, accept: string, what: string): Promise<IncomingMessage> {
    const isNamed = url.origin === origin;
    const isAllowed = (address: string) => {
      const kind = addressKind(address);
      return kind === 'public' || (kind === 'private' && isNamed);
    };
    const refusal = () => new PackageError(`${what} lies at ${url.host}, which is not in the public internet`);
    if (!isNamed && url.protocol !== 'https:') throw refusal();
    return openGuarded({
      url,
      headers: { accept, ...(isNamed && token !== undefined ? { authorization: `Bearer ${token}` } : {}) },
      signal: AbortSignal.timeout(answerMs),
      agent: isNamed ? agent : undefined,
      isAllowed,
      refusal,
    });
  }

  return {
    packument: (name) =>
      patiently(async () => {
        const what = `the package ${name}`;
        const answer = await ask(
          `${base}/${name.replace('/', '%2f')}`,
          'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8',
          what,
        );
        return packumentOf(await textOf(answer, what), name);
      }),
    archive: (of) =>
      patiently(() =>
        ask(of.tarball ?? usualTarball(base, of), 'application/octet-stream', `${of.name}@${of.version}`),
      ),
    tarballOf: ({ name, version, dist }) =>
      dist.tarball === undefined || dist.tarball === usualTarball(base, { name, version }) ? null : dist.tarball,
    close: () => agent.destroy(),
  };
}

const usualTarball = (base: string, { name, version }: Pick<LockedPackage, 'name' | 'version'>): string =>
  `${base}/${name}/-/${name.slice(name.indexOf('/') + 1)}-${version}.tgz`;

function urlOf(target: string, what: string): URL {
  const url = URL.parse(target);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new PackageError(`${what} lies at no address that could be asked`);
  return url;
}

function refusalOf(status: number, what: string): Error {
  if (status === 404 || status === 410) return new PackageError(`the registry has not got ${what}`);
  return status === 429 || status >= 500
    ? new RegistryUnavailableError(`The registry answered ${status} for ${what}`)
    : new PackageError(`the registry does not give out ${what} (${status})`);
}

/** Asks again while the registry gives no answer that counts. */
async function patiently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (const pause of pauses) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof PackageError) throw error;
    }
    await sleep(pause);
  }
  return ask().catch((error: unknown) => {
    throw error instanceof PackageError || error instanceof RegistryUnavailableError
      ? error
      : new RegistryUnavailableError('The registry could not be reached', { cause: error });
  });
}

async function textOf(answer: IncomingMessage, what: string): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > packumentBytesMax) throw new PackageError(`the description of ${what} is too large`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function packumentOf(text: string, name: string): Packument {
  const said: unknown = parsed(text);
  if (typeof said === 'object' && said !== null && 'versions' in said && typeof said.versions === 'object')
    return { ...(said as Packument), name };
  throw new RegistryUnavailableError(`The registry's answer does not describe ${name}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
