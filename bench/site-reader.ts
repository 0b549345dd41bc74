/** Reads of sites on this machine: whole audits, or the fetching of their documents by the same HTTP client alone. */
import type { IncomingMessage } from 'node:http';
import { openGuarded } from '../core/guarded-request.ts';
import { createAuditor } from '../engines/site-audit/auditor.ts';
import { serve } from './processes.ts';

export interface SiteCommand {
  readonly who: 'audit' | 'client';
  /** Page of the site. */
  readonly url: string;
  /** Where the site is served, and who signed for it. */
  readonly port: number;
  readonly ca: string;
  readonly times: number;
}

export interface SiteAnswer {
  /** What each took, in milliseconds. */
  readonly took: readonly number[];
  /** Bytes of the documents that were read by the last, to be held against the other's. */
  readonly bytes: number;
}

/** As it is asked for by an audit, whose every document has a connection of its own. */
async function fetchBare({ port, ca }: SiteCommand, url: URL): Promise<Buffer> {
  const response: IncomingMessage = await openGuarded({
    url,
    headers: { 'user-agent': 'bench' },
    signal: AbortSignal.timeout(8_000),
    resolve: ((_host: string, _options: object, done: (error: null, found: object[]) => void) =>
      done(null, [{ address: '127.0.0.1', family: 4 }])) as never,
    isAllowed: () => true,
    refusal: () => new Error('Nothing is refused.'),
    trial: { port, ca },
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The documents of a site, the page first and then two at a time, as an audit asks for them. */
async function fetchAll(command: SiteCommand): Promise<number> {
  const page = new URL(command.url);
  const read = (path: string) => fetchBare(command, new URL(path, page));
  const first = await read(page.href);
  const [one, other] = await Promise.all([
    read('/robots.txt').then(async (robots) => {
      const sitemap = /^sitemap:\s*(\S+)/im.exec(robots.toString())?.[1];
      return robots.length + (await read(sitemap ?? '/sitemap.xml')).length;
    }),
    read('/llms.txt').then(async (llms) => {
      await read('/llms-full.txt');
      return llms.length;
    }),
  ]);
  return first.length + one + other;
}

const auditors = new Map<string, ReturnType<typeof createAuditor>>();

async function audit({ url, port, ca }: SiteCommand): Promise<number> {
  const { hostname } = new URL(url);
  const auditor =
    auditors.get(hostname) ?? createAuditor({ userAgent: 'bench', trial: { hosts: new Map([[hostname, port]]), ca } });
  auditors.set(hostname, auditor);
  const { audited } = await auditor.audit(auditor.target(url), { admit: () => undefined, fresh: true });
  return audited.facts.fetchedBytes;
}

serve(async (command: SiteCommand): Promise<SiteAnswer> => {
  const run = { audit, client: fetchAll }[command.who];
  const took: number[] = [];
  let bytes = 0;
  for (let time = 0; time < command.times; time++) {
    const startedAt = performance.now();
    bytes = await run(command);
    took.push(performance.now() - startedAt);
  }
  return { took, bytes };
});
