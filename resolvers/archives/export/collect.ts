import type { AssetFacts } from '../../../core/asset-facts.ts';
import { sql } from '../../../db/drizzle.ts';
import { projectDomains, subdomains } from '../../../db/schema/hosts.ts';
import { mailboxes } from '../../../db/schema/mailboxes.ts';
import { signers } from '../../../db/schema/signers.ts';
import { computed, statement, typed } from '../../../db/sql.ts';
import { byCodePoint } from '../../../engines/release/canonical-json.ts';
import { dataDigest } from '../../../engines/release/digests.ts';
import type { ReleaseState } from '../../../engines/release/model.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { assetFacts } from '../../assets/shared/asset-facts.ts';
import { liveState } from '../../deploys/shared/live-state.ts';
import { buildsOfStatement, type FunctionBuild } from '../../functions/shared/build-rows.ts';

/** What the platform knows of a project, beside its database. */
export interface Collected {
  readonly releaseId: string | null;
  readonly state: ReleaseState | null;
  /** What its functions were built to, by their names. */
  readonly builds: ReadonlyMap<string, FunctionBuild>;
  /** In the order of their keys. */
  readonly assets: readonly AssetFacts[];
  /** What stays behind, in words. */
  readonly left: readonly string[];
  /** The same for what is the same. */
  readonly revision: string;
}

interface Owner {
  readonly orgId: string;
  readonly projectId: string;
}

/** Reads what the platform knows of a project now. */
export async function collect({ db: { rows } }: Pick<Services, 'db'>, owner: Owner): Promise<Collected> {
  const [live, found, [counts]] = await Promise.all([
    liveState(rows, owner),
    assetFacts(rows, owner, { prefix: '' }),
    rows(leftStatement.with(owner)),
  ]);
  const releaseId = live?.releaseId ?? null;
  const builds = releaseId === null ? [] : await rows(buildsOfStatement.with({ ...owner, releaseId }));
  const assets = [...found.values()].sort((one, other) => byCodePoint(one.key, other.key));
  const left = Object.entries(counts!).flatMap(([what, count]) =>
    count === 0 ? [] : [`${count} ${count === 1 ? what : plurals[what as keyof typeof plurals]}`],
  );
  return {
    releaseId,
    state: live?.state ?? null,
    builds: new Map(builds.map(({ name, ...build }) => [name, build])),
    assets,
    left,
    revision: dataDigest({ releaseId, assets: assets.map(({ image: _made, ...asset }) => asset) }),
  };
}

const plurals = {
  subdomain: 'subdomains',
  'domain of its own': 'domains of its own',
  mailbox: 'mailboxes',
  signer: 'signers',
} as const;

const countOf = (from: ReturnType<typeof sql>) => computed<number>('integer', sql`(select count(*)::int from ${from})`);

const leftStatement = statement(
  'archives.left-behind',
  {
    params: { orgId: typed<string>('uuid'), projectId: typed<string>('text') },
    row: {
      subdomain: countOf(
        sql`${subdomains} where ${subdomains.orgId} = asked.org_id and ${subdomains.projectId} = asked.id`,
      ),
      'domain of its own': countOf(
        sql`${projectDomains} where ${projectDomains.orgId} = asked.org_id and ${projectDomains.projectId} = asked.id`,
      ),
      mailbox: countOf(sql`${mailboxes} where ${mailboxes.orgId} = asked.org_id and ${mailboxes.projectId} = asked.id`),
      signer: countOf(sql`${signers} where ${signers.orgId} = asked.org_id and ${signers.projectId} = asked.id`),
    },
  },
  ({ orgId, projectId }, row) =>
    sql`select ${row} from (select ${orgId}::uuid as org_id, ${projectId}::text as id) asked`,
);
