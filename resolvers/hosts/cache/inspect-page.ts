import { z } from 'zod';
import type { RowOf } from '../../../db/sql.ts';
import { query } from '../../../kernel/run/operation.ts';
import { hostActions } from '../shared/actions.ts';
import { hostNameOf, onCachedHosts } from './on-cached-hosts.ts';
import { pageKeyOf } from './page-cache.ts';
import { type describedPage, describePageStatement } from './page-rows.ts';

/** What is known of a page without asking for it. */
export interface InspectedPage {
  readonly host: string;
  readonly path: string;
  /** With its question mark; empty without a query. */
  readonly search: string;
  /** Empty for a release without locales. */
  readonly locale: string;
  /** Null for a project without a release. */
  readonly releaseId: string | null;
  /** Undefined: the next visitor has it made. */
  readonly page: RowOf<typeof describedPage> | undefined;
}

const text = z.string().nullable();
const moment = z.iso.datetime().nullable();

/** `GET /cache/v1/inspect`. Contract 03, section 5.4. */
export const inspectPage = query({
  name: 'cache.inspect',
  tool: 'cache_inspect',
  command: 'cache inspect',
  summary: 'Whether a rendered page is kept for its next visitors, without asking for it.',
  access: onCachedHosts(hostActions['project:domains:read'], ({ host }: { readonly host: string }) => [
    hostNameOf(host),
  ]),
  input: z.object({
    host: z
      .string()
      .regex(/^(?=.{1,254}$)[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/i, 'must be a host name, without a scheme and a port')
      .describe('Host of the page, without a scheme and a port.')
      .meta({ examples: ['shop.example.com'] }),
    path: z
      .string()
      .max(8_192)
      .regex(/^\/[^#\s]*$/, 'must begin with a slash, without a fragment')
      .default('/')
      .describe('Path of the page with its query.')
      .meta({ examples: ['/products?page=2'] }),
    locale: z.string().min(1).max(64).optional().describe('Locale of the page; that of the release unless told.'),
    release: z.string().min(1).max(64).optional().describe('Release that made the page; the live one unless told.'),
  }),
  async handler(
    { services, org, project },
    { host: given, path: target, locale: asked, release },
  ): Promise<InspectedPage> {
    const host = hostNameOf(given);
    const owner = { orgId: org.id, projectId: project.id };
    const site = await services.sites.live(owner.projectId);
    const locale = asked ?? site?.i18n?.defaultLocale ?? '';
    const releaseId = release ?? site?.releaseId ?? null;
    const mark = target.indexOf('?');
    const about = {
      host,
      path: mark === -1 ? target : target.slice(0, mark),
      search: mark === -1 ? '' : target.slice(mark),
      locale,
      releaseId,
    };
    // What another release has made is not answered while it is not live.
    if (site === null || releaseId !== site.releaseId) return { ...about, page: undefined };
    const [page] = await services.db.rows(
      describePageStatement.with({
        ...owner,
        key: pageKeyOf({ host, target, locale, releaseId }),
        releaseGeneration: BigInt(site.generation!),
      }),
    );
    return { ...about, page };
  },
  wire: z
    .object({
      status: z.enum(['HIT', 'MISS']),
      host: z.string(),
      path: z.string(),
      search: z.string(),
      method: z.literal('GET'),
      locale: text,
      release_id: text,
      cached_at: moment,
      expires_at: moment,
      written_under_generation: text,
      content_sha256: text,
      headers: z.record(z.string(), z.string()),
    })
    .meta({ id: 'InspectedPage' }),
  toWire: ({ host, path, search, locale, releaseId, page }) => ({
    status: page === undefined ? ('MISS' as const) : ('HIT' as const),
    host,
    path,
    search,
    method: 'GET' as const,
    locale: locale === '' ? null : locale,
    release_id: releaseId,
    cached_at: page?.cachedAt.toISOString() ?? null,
    expires_at: page?.expiresAt.toISOString() ?? null,
    written_under_generation: page === undefined ? null : String(page.generation),
    content_sha256: page?.sha256 ?? null,
    headers: Object.fromEntries((page?.headers ?? []).map(([name, value]) => [name.toLowerCase(), value])),
  }),
});
