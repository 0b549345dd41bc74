import { sql } from '../../../db/drizzle.ts';
import { cachedPages, cacheGenerations } from '../../../db/schema/cached-pages.ts';
import { liveReleases } from '../../../db/schema/releases.ts';
import { computed, excluded, namesOf, orNull, pick, setOf, statement, typed } from '../../../db/sql.ts';

/** Pages of one project, and their bytes, that are kept at the same time. */
export const pagesMax = 5_000;
export const pagesBytesMax = 64 * 1024 * 1024;

/** The page under a key, and the generation of its host, which may be there without it. */
export const findPageStatement = statement(
  'page-cache.find',
  {
    params: { ...pick(cachedPages, 'orgId', 'projectId', 'host', 'key', 'releaseGeneration') },
    row: {
      ...orNull(pick(cachedPages, 'status', 'headers', 'body')),
      age: computed<number | null>(
        'double precision',
        sql`extract(epoch from now() - ${cachedPages.cachedAt})::double precision`,
      ),
      hostGeneration: computed<bigint | null>('bigint', sql`host.generation`),
    },
    pipelined: true,
  },
  (given, row) => sql`select ${row} from (select (
      select ${cacheGenerations.generation} from ${cacheGenerations} where ${cacheGenerations.orgId} = ${given.orgId}
        and ${cacheGenerations.projectId} = ${given.projectId} and ${cacheGenerations.host} = ${given.host}
    ) as generation) host
    left join ${cachedPages} on ${cachedPages.orgId} = ${given.orgId} and ${cachedPages.projectId} = ${given.projectId}
      and ${cachedPages.key} = ${given.key} and ${cachedPages.releaseGeneration} = ${given.releaseGeneration}
      and ${cachedPages.expiresAt} > now()`,
);

/** Begins to count the invalidations of a host. */
export const firstGenerationStatement = statement(
  'page-cache.first-generation',
  { params: pick(cacheGenerations, 'orgId', 'projectId', 'host') },
  ({ orgId, projectId, host }) => sql`insert into ${cacheGenerations} (org_id, project_id, host, generation)
    values (${orgId}, ${projectId}, ${host}, 0) on conflict do nothing`,
);

const full = sql.raw(`count(*) >= ${pagesMax} or coalesce(sum(bytes), 0) >= ${pagesBytesMax}`);
const dropped = sql.raw(String(pagesMax / 10));

/**
 * Keeps a page if its host was not invalidated, and its release has been live, since it began to be made. Both rows are held
 * until it is kept: an invalidation waits, and then finds it. Where a project has too many, those go first that end first.
 */
export const keepPageStatement = statement(
  'page-cache.keep',
  {
    params: {
      ...pick(
        cachedPages,
        'orgId',
        'projectId',
        'key',
        'host',
        'target',
        'locale',
        'releaseId',
        'releaseGeneration',
        'generation',
        'status',
        'headers',
        'body',
        'bytes',
        'sha256',
      ),
      seconds: typed<number>('double precision'),
    },
    row: pick(cachedPages, 'key'),
  },
  (given, row) => sql`with holding as (
      select from ${cacheGenerations}, ${liveReleases}
      where ${cacheGenerations.orgId} = ${given.orgId} and ${cacheGenerations.projectId} = ${given.projectId}
        and ${cacheGenerations.host} = ${given.host} and ${cacheGenerations.generation} = ${given.generation}
        and ${liveReleases.orgId} = ${given.orgId} and ${liveReleases.projectId} = ${given.projectId}
        and ${liveReleases.releaseId} = ${given.releaseId} and ${liveReleases.generation} = ${given.releaseGeneration}
      for share
    ), held as (
      select ${full} as is_full from ${cachedPages}
      where ${cachedPages.orgId} = ${given.orgId} and ${cachedPages.projectId} = ${given.projectId}
    ), gone as (
      delete from ${cachedPages} where (select is_full from held) and ctid = any(array(
        select ctid from ${cachedPages}
        where ${cachedPages.orgId} = ${given.orgId} and ${cachedPages.projectId} = ${given.projectId}
          and ${cachedPages.key} <> ${given.key}
        order by ${cachedPages.expiresAt} limit ${dropped} for update skip locked))
    )
    insert into ${cachedPages} (org_id, project_id, key, host, target, locale, release_id, release_generation, generation,
      status, headers, body, bytes, sha256, expires_at)
    select ${given.orgId}, ${given.projectId}, ${given.key}, ${given.host}, ${given.target}, ${given.locale},
      ${given.releaseId}, ${given.releaseGeneration}, ${given.generation}, ${given.status}, ${given.headers}, ${given.body},
      ${given.bytes}, ${given.sha256}, now() + make_interval(secs => ${given.seconds}) from holding
    on conflict (${namesOf(cachedPages.orgId, cachedPages.projectId, cachedPages.key)}) do update
      ${setOf(cachedPages, {
        releaseGeneration: excluded(cachedPages.releaseGeneration),
        generation: excluded(cachedPages.generation),
        status: excluded(cachedPages.status),
        headers: excluded(cachedPages.headers),
        body: excluded(cachedPages.body),
        bytes: excluded(cachedPages.bytes),
        sha256: excluded(cachedPages.sha256),
        cachedAt: sql`now()`,
        expiresAt: excluded(cachedPages.expiresAt),
      })} returning ${row}`,
);

const ofHost = pick(cachedPages, 'orgId', 'projectId', 'host');

/** Raises the generation of a host. Whoever makes a page of it meanwhile waits, and finds that it is too late. */
export const raiseGenerationStatement = statement(
  'page-cache.raise-generation',
  { params: pick(cacheGenerations, 'orgId', 'projectId', 'host'), row: pick(cacheGenerations, 'generation') },
  ({ orgId, projectId, host }, row) => sql`insert into ${cacheGenerations} (org_id, project_id, host, generation)
    values (${orgId}, ${projectId}, ${host}, 1)
    on conflict (${namesOf(cacheGenerations.orgId, cacheGenerations.projectId, cacheGenerations.host)})
    do update set generation = ${cacheGenerations.generation} + 1 returning ${row}`,
);

const deleted = { deleted: computed<number>('integer', sql`count(*)::int`) };

/** Removes pages of a host whose targets begin with a text. */
export const dropPrefixStatement = statement(
  'page-cache.drop-prefix',
  { params: { ...ofHost, prefix: typed<string>('text') }, row: deleted },
  (given, row) => sql`with gone as (delete from ${cachedPages} where ${cachedPages.orgId} = ${given.orgId}
      and ${cachedPages.projectId} = ${given.projectId} and ${cachedPages.host} = ${given.host}
      and starts_with(${cachedPages.target}, ${given.prefix}) returning 1) select ${row} from gone`,
);

/** Removes pages of a host by their targets, in every language. */
export const dropTargetsStatement = statement(
  'page-cache.drop-targets',
  { params: { ...ofHost, targets: typed<readonly string[]>('text[]') }, row: deleted },
  (given, row) => sql`with gone as (delete from ${cachedPages} where ${cachedPages.orgId} = ${given.orgId}
      and ${cachedPages.projectId} = ${given.projectId} and ${cachedPages.host} = ${given.host}
      and ${cachedPages.target} = any(${given.targets}::text[]) returning 1) select ${row} from gone`,
);

/** What is known of a page without its bytes. */
export const describedPage = pick(cachedPages, 'generation', 'headers', 'sha256', 'cachedAt', 'expiresAt');

export const describePageStatement = statement(
  'page-cache.describe',
  { params: pick(cachedPages, 'orgId', 'projectId', 'key', 'releaseGeneration'), row: describedPage },
  (given, row) => sql`select ${row} from ${cachedPages} where ${cachedPages.orgId} = ${given.orgId}
    and ${cachedPages.projectId} = ${given.projectId} and ${cachedPages.key} = ${given.key}
    and ${cachedPages.releaseGeneration} = ${given.releaseGeneration} and ${cachedPages.expiresAt} > now()`,
);

const ofProject = pick(cachedPages, 'orgId', 'projectId');

export const forgetPagesStatement = statement(
  'page-cache.forget-pages',
  { params: ofProject },
  ({ orgId, projectId }) => sql`delete from ${cachedPages}
    where ${cachedPages.orgId} = ${orgId} and ${cachedPages.projectId} = ${projectId}`,
);

export const forgetGenerationsStatement = statement(
  'page-cache.forget-generations',
  { params: ofProject },
  ({ orgId, projectId }) => sql`delete from ${cacheGenerations}
    where ${cacheGenerations.orgId} = ${orgId} and ${cacheGenerations.projectId} = ${projectId}`,
);
