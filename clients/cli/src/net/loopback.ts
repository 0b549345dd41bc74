import { spawn } from 'node:child_process';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cli } from '../cli.ts';
import { local, stopped } from '../failure.ts';
import { quiet } from '../human-values.ts';

/** How long a browser is waited for. */
export const usualTimeoutSeconds = 300;

export const noOpen = { name: 'no-open', type: 'boolean' as const, about: 'Open no browser: only print the address.' };
export const timeout = {
  name: 'timeout-seconds',
  type: 'integer' as const,
  min: 10,
  max: 3600,
  about: 'How long to wait for the browser: 300 seconds unless told.',
};

/** What a sign-in in a browser begins with. */
export interface LoopbackRequest {
  readonly redirectUri: string;
  readonly challenge: string;
  readonly state: string;
}

export interface LoopbackOptions {
  /** @returns the address of the page that the person has to meet */
  readonly begin: (asked: LoopbackRequest) => Promise<string>;
  readonly open: boolean;
  readonly timeoutMs: number;
  /** Codes of what went wrong, by the step. */
  readonly codes: { readonly denied: string; readonly timeout: string; readonly failed: string };
}

/** What a sign-in brought: a code that is good once, with the proof that it was asked for from here. */
export interface Code {
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly state: string;
}

/** Has a person's browser come back to this machine with a code (RFC 8252, PKCE). */
export async function loopback(cli: Cli, { begin, open, timeoutMs, codes }: LoopbackOptions): Promise<Code> {
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  let settle: (params: URLSearchParams) => void = () => undefined;
  const back = new Promise<URLSearchParams>((resolve) => {
    settle = resolve;
  });
  const server = createServer((request, response) => {
    // Anybody on this machine may knock, with a path that is none.
    const url = URL.parse(request.url ?? '/', 'http://127.0.0.1');
    const mine = url?.pathname === '/callback' && same(url.searchParams.get('state') ?? '', state);
    response.writeHead(mine ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    response.end(mine ? 'You can close this page and go back to the terminal.\n' : 'Not found.\n');
    if (mine) settle(url.searchParams);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  let timer: NodeJS.Timeout | undefined;
  try {
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const page = await begin({ redirectUri, challenge, state });
    show(cli, page, open);
    const params = await Promise.race([
      back,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(local(codes.timeout, 'Nobody came back from the browser in time.')), timeoutMs);
        cli.signal.addEventListener('abort', () => reject(stopped()), { once: true });
      }),
    ]);
    const error = params.get('error');
    if (error !== null)
      throw local(error === 'access_denied' ? codes.denied : codes.failed, `The browser came back with ${error}.`, {
        details: { error },
      });
    const code = params.get('code');
    if (code === null) throw local(codes.failed, 'The browser came back without a code.');
    return { code, verifier, redirectUri, state };
  } finally {
    clearTimeout(timer);
    server.close();
    server.closeAllConnections();
  }
}

const same = (given: string, wanted: string): boolean => {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
};

/** Says where to go, on standard error, and opens it for a person at a terminal. */
export function show(cli: Cli, page: string, open: boolean, more = ''): void {
  cli.stderr.write(quiet(`Open this page in your browser:\n  ${page}\n${more}`));
  // A browser is handed an address of the web, whatever the gateway sent.
  if (!open || cli.stderr.isTTY !== true || !/^https?:\/\//.test(page)) return;
  const program = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
  // Without such a program the address is there to be copied.
  spawn(program, [page], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
