import { z } from 'zod';
import { invalidField } from '../../../core/errors.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { hostActions } from '../shared/actions.ts';
import { hostNameOf, onCachedHosts } from './on-cached-hosts.ts';
import { dropPrefixStatement, dropTargetsStatement, raiseGenerationStatement } from './page-rows.ts';

/** Addresses that one call names. */
const urlsMax = 100;

const target = z
  .string()
  .max(8_192)
  .regex(/^\/[^#\s]*$/, 'must begin with a slash, without a fragment');

const input = z.object({
  kind: z
    .enum(['exact', 'prefix', 'all', 'many'])
    .default('exact')
    .describe('Which pages: one, those below a path, those of a host, or a list.'),
  host: z
    .string()
    .regex(/^(?=.{1,254}$)[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/i, 'must be a host name, without a scheme and a port')
    .optional()
    .describe('Host of the pages; not for `many`.'),
  path: target.optional().describe('Path with its query, for `exact`.'),
  prefix: target.optional().describe('What paths begin with, for `prefix`.'),
  urls: z
    .array(z.string().max(8_192))
    .min(1)
    .max(urlsMax)
    .optional()
    .describe(`Whole addresses, up to ${urlsMax}, for \`many\`.`),
});

type Input = z.output<typeof input>;

/** Pages of one host. */
interface Pages {
  readonly host: string;
  readonly drop: { readonly prefix: string } | { readonly targets: readonly string[] };
}

/** What each kind needs, and what it may not have. */
const members = {
  exact: ['host', 'path'],
  prefix: ['host', 'prefix'],
  all: ['host'],
  many: ['urls'],
} as const satisfies Record<Input['kind'], readonly (keyof Input)[]>;

/** The pages that are meant, by host in a fixed order, so that two who race do not wait for each other. @throws VALIDATION_FAILED */
export function pagesOf(given: Input): readonly Pages[] {
  const { kind } = given;
  const needed: readonly string[] = members[kind];
  for (const member of ['host', 'path', 'prefix', 'urls'] as const) {
    if (needed.includes(member) && given[member] === undefined) throw invalidField(member, `is needed for ${kind}`);
    if (!needed.includes(member) && given[member] !== undefined) throw invalidField(member, `is not for ${kind}`);
  }
  if (kind === 'many') return ofUrls(given.urls!);
  const host = hostNameOf(given.host!);
  if (kind === 'exact') return [{ host, drop: { targets: [given.path!] } }];
  return [{ host, drop: { prefix: kind === 'all' ? '' : given.prefix! } }];
}

function ofUrls(urls: readonly string[]): readonly Pages[] {
  const byHost = new Map<string, string[]>();
  for (const [at, one] of urls.entries()) {
    const url = URL.parse(one);
    if (url === null || !/^https?:$/.test(url.protocol)) throw invalidField(`urls.${at}`, 'must be a whole address');
    const host = hostNameOf(url.hostname);
    byHost.set(host, [...(byHost.get(host) ?? []), url.pathname + url.search]);
  }
  return [...byHost]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([host, targets]) => ({ host, drop: { targets } }));
}

interface Invalidated {
  readonly host: string;
  readonly deleted: number;
  readonly generation: bigint;
}

interface Invalidation {
  readonly input: Input;
  readonly results: readonly Invalidated[];
}

/** `POST /cache/v1/invalidate`. Contract 03, section 5.4. */
export const invalidatePages = mutation({
  name: 'cache.invalidate',
  tool: 'cache_invalidate',
  command: 'cache invalidate',
  effects: ['idempotent'],
  summary: 'Have rendered pages of a host made anew.',
  access: onCachedHosts(hostActions['project:domains:write'], (given: Input) => pagesOf(given).map(({ host }) => host)),
  input,
  async handler(work, given): Promise<Invalidation> {
    const results = [];
    for (const pages of pagesOf(given)) results.push(await invalidate(work, pages));
    return { input: given, results };
  },
  audit: ({ results }, { kind }, { project }) => ({
    action: 'cache.invalidated',
    object: { kind: 'host', id: results[0]!.host },
    details: { project_id: project.id, kind, hosts: results.map(({ host }) => host), deleted: totalOf(results) },
  }),
  wire: z.object({
    deleted: z.int(),
    generation: z.string(),
    host: z.string(),
    path: z.string().optional(),
    results: z.array(z.object({ host: z.string(), deleted: z.int(), generation: z.string() })).optional(),
  }),
  toWire: ({ input: { kind, path }, results }) => {
    const each = results.map((one) => ({ ...one, generation: String(one.generation) }));
    return {
      deleted: totalOf(results),
      generation: each.at(-1)!.generation,
      host: kind === 'many' ? '' : each[0]!.host,
      ...(path === undefined ? {} : { path }),
      ...(kind === 'many' ? { results: each } : {}),
    };
  },
});

const totalOf = (results: readonly Invalidated[]) => results.reduce((sum, { deleted }) => sum + deleted, 0);

/** The generation rises first: from then on nothing is kept that began to be made before. */
async function invalidate(work: Work & ProjectScope, { host, drop }: Pages): Promise<Invalidated> {
  const ofHost = { orgId: work.org.id, projectId: work.project.id, host };
  const [raised] = await work.rows(raiseGenerationStatement.with(ofHost));
  const [gone] = await work.rows(
    'prefix' in drop
      ? dropPrefixStatement.with({ ...ofHost, ...drop })
      : dropTargetsStatement.with({ ...ofHost, ...drop }),
  );
  return { host, deleted: gone!.deleted, generation: raised!.generation };
}
