import { sql } from '../../db/drizzle.ts';
import { releaseParts, releases } from '../../db/schema/releases.ts';
import { insertInto, namesOf, pick, type RowOf, statement, typed } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import { releaseDigest, routesDigest, staticDigest } from '../../engines/release/digests.ts';
import type { ReleaseState } from '../../engines/release/model.ts';
import { decodeRelease, encodeRelease, type ReleaseBody } from '../../engines/release/stored.ts';

/** Whose releases are meant. */
export interface ReleaseOwner {
  readonly orgId: string;
  readonly projectId: string;
}

/** A release but for what it holds. */
export const releaseColumns = pick(
  releases,
  'id',
  'projectId',
  'parentId',
  'operationId',
  'planId',
  'deploymentId',
  'status',
  'digest',
  'manifestDigest',
  'staticSha256',
  'routesSha256',
  'actor',
  'activatedAt',
  'supersededAt',
  'createdAt',
);

export type ReleaseRow = RowOf<typeof releaseColumns>;

/** A release of a project; undefined where it has none of this id. */
export async function findRelease(rows: Rows, owner: ReleaseOwner, id: string): Promise<ReleaseRow | undefined> {
  const [found] = await rows(findStatement.with({ ...owner, id }));
  return found;
}

/** What a release of a project holds. @throws Error when there is no such one */
export async function loadRelease(rows: Rows, owner: ReleaseOwner, id: string): Promise<ReleaseState> {
  const [found] = await rows(loadStatement.with({ ...owner, id }));
  if (found === undefined) throw new Error(`There is no release ${id}.`);
  const digests = [...new Set([...found.siteParts, ...found.fileParts])];
  const parts = await rows(partsStatement.with({ ...owner, digests }));
  const bytes = new Map(parts.map((part) => [part.digest, part.bytes]));
  const all = (names: readonly string[]) => names.map((digest) => bytes.get(digest)!);
  return decodeRelease(found.body as ReleaseBody, { site: all(found.siteParts), files: all(found.fileParts) });
}

/** How many parts one statement writes: they have some tens of kilobytes each. */
const partsAtOnce = 200;

/** Writes a release that is not live yet. May be repeated. */
export async function saveRelease(
  rows: Rows,
  owner: ReleaseOwner,
  state: ReleaseState,
  facts: Pick<ReleaseRow, 'id' | 'parentId' | 'operationId' | 'planId' | 'deploymentId' | 'manifestDigest' | 'actor'>,
): Promise<void> {
  const { body, site, files } = encodeRelease(state);
  const parts = [...new Map([...site, ...files].map((part) => [part.digest, part])).values()];
  for (let at = 0; at < parts.length; at += partsAtOnce) {
    const some = parts.slice(at, at + partsAtOnce);
    await rows(
      savePartsStatement.with({
        ...owner,
        digests: some.map(({ digest }) => digest),
        bytes: some.map((part) => part.bytes),
      }),
    );
  }
  await rows(
    saveStatement.with({
      ...owner,
      ...facts,
      actor: JSON.stringify(facts.actor),
      digest: releaseDigest(state),
      staticSha256: staticDigest(state.manifest),
      routesSha256: routesDigest(state.routes),
      body: JSON.stringify(body),
      siteParts: site.map(({ digest }) => digest),
      fileParts: files.map(({ digest }) => digest),
    }),
  );
}

const address = pick(releases, 'orgId', 'projectId', 'id');

const findStatement = statement(
  'releases.find',
  { params: address, row: releaseColumns },
  (given, row) => sql`select ${row} from ${releases} where ${releases.orgId} = ${given.orgId}
    and ${releases.projectId} = ${given.projectId} and ${releases.id} = ${given.id}`,
);

const loadStatement = statement(
  'releases.load',
  { params: address, row: pick(releases, 'body', 'siteParts', 'fileParts') },
  (given, row) => sql`select ${row} from ${releases} where ${releases.orgId} = ${given.orgId}
    and ${releases.projectId} = ${given.projectId} and ${releases.id} = ${given.id}`,
);

const partsStatement = statement(
  'releases.parts',
  {
    params: { ...pick(releaseParts, 'orgId', 'projectId'), digests: typed<readonly string[]>('text[]') },
    row: pick(releaseParts, 'digest', 'bytes'),
  },
  (given, row) => sql`select ${row} from ${releaseParts} where ${releaseParts.orgId} = ${given.orgId}
    and ${releaseParts.projectId} = ${given.projectId} and ${releaseParts.digest} = any(${given.digests}::text[])`,
);

const savePartsStatement = statement(
  'releases.save-parts',
  {
    params: {
      ...pick(releaseParts, 'orgId', 'projectId'),
      digests: typed<readonly string[]>('text[]'),
      bytes: typed<readonly Buffer[]>('bytea[]'),
    },
  },
  (given) => sql`insert into ${releaseParts} (org_id, project_id, digest, bytes)
    select ${given.orgId}, ${given.projectId}, part.digest, part.bytes
    from unnest(${given.digests}::text[], ${given.bytes}::bytea[]) as part (digest, bytes)
    order by part.digest on conflict do nothing`,
);

const saveStatement = statement(
  'releases.save',
  {
    params: pick(
      releases,
      'orgId',
      'projectId',
      'id',
      'parentId',
      'operationId',
      'planId',
      'deploymentId',
      'manifestDigest',
      'actor',
      'digest',
      'staticSha256',
      'routesSha256',
      'body',
      'siteParts',
      'fileParts',
    ),
  },
  (given) => sql`${insertInto(releases, given)} on conflict (${namesOf(releases.orgId, releases.id)}) do nothing`,
);
