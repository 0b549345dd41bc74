import { sql } from '../../../db/drizzle.ts';
import { type DomainFailure, type ObservedDomain, projectDomains } from '../../../db/schema/hosts.ts';
import { pick, setOf, statement, typed } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { orderCertificatesTask } from '../certificates/order-certificates.ts';
import { unbindHost } from '../shared/host-names.ts';
import { type DomainRow, domainColumns, type ProjectDomain, standing } from './domain-rows.ts';
import { takeHost } from './hold-host.ts';
import { isProven, leadsThere } from './judge.ts';
import { targetOf } from './look.ts';
import { nextLook } from './next-look.ts';

/** How long a domain stays with its project once its proof is gone, in milliseconds: three days to put it back. */
const unprovenMs = 72 * 3_600_000;

type Changed = Pick<DomainRow, 'boundAt' | 'activeAt' | 'unprovenSince' | 'failure'>;

/**
 * Writes what a look at a domain says, and draws the conclusions: a proven domain is bound, and one whose proof stays away
 * is let go.
 *
 * @param row locked in this transaction
 * @param observed undefined when the look was not answered, from which nothing is concluded
 */
export async function settleLook(
  work: Pick<Work, 'rows' | 'afterCommit' | 'services' | 'addJob'>,
  row: DomainRow,
  publicId: string,
  observed: ObservedDomain | undefined,
): Promise<ProjectDomain> {
  const now = work.services.now();
  const changed = observed === undefined ? row : await conclude(work, row, observed, now);
  const leadsHere = observed === undefined ? row.leadsHere : leadsThere(observed, targetOf(work.services, publicId));
  const seen = {
    ...row,
    ...changed,
    leadsHere,
    observed: observed ?? row.observed,
    unanswered: observed === undefined,
  };
  const { status } = standing(work.services, { ...seen, checkedAt: now }, publicId);
  const activeAt = seen.activeAt ?? (status === 'active' ? now : null);
  const [written] = await work.rows(
    writeStatement.with({
      orgId: row.orgId,
      projectId: row.projectId,
      name: row.name,
      observed: seen.observed === null ? null : JSON.stringify(seen.observed),
      unanswered: seen.unanswered,
      checkedAt: now,
      boundAt: seen.boundAt,
      activeAt,
      unprovenSince: seen.unprovenSince,
      failure: seen.failure,
      leadsHere: seen.leadsHere,
      nextCheckAt: nextLook(status, seen, now),
      isChanged: hasMoved(row, { ...seen, activeAt }),
    }),
  );
  const isNewHere = leadsHere && seen.boundAt !== null && (!row.leadsHere || row.boundAt === null);
  if (isNewHere && work.services.certificateAuthority !== undefined)
    await work.addJob(orderCertificatesTask, {}, { key: orderCertificatesTask });
  return standing(work.services, written!, publicId);
}

async function conclude(
  work: Pick<Work, 'rows' | 'afterCommit' | 'services'>,
  row: DomainRow,
  observed: ObservedDomain,
  now: Date,
): Promise<Changed> {
  const { boundAt, activeAt, unprovenSince, failure } = row;
  const key = { orgId: row.orgId, projectId: row.projectId, name: row.name };
  if (!row.desired.web.enabled || failure !== null) {
    if (boundAt !== null) await unbindHost(work, key);
    return { boundAt: null, activeAt, unprovenSince: null, failure };
  }
  if (isProven(observed, row.token)) {
    const isHeld = boundAt !== null || (await takeHost(work, key, observed));
    return { boundAt: isHeld ? (boundAt ?? now) : null, activeAt, unprovenSince: null, failure };
  }
  if (boundAt === null) return { boundAt, activeAt, unprovenSince: null, failure };
  const since = unprovenSince ?? now;
  if (now.getTime() - since.getTime() < unprovenMs) return { boundAt, activeAt, unprovenSince: since, failure };
  await unbindHost(work, key);
  return { boundAt: null, activeAt: null, unprovenSince: null, failure: 'ownership_lost' satisfies DomainFailure };
}

const hasMoved = (before: Changed, after: Changed): boolean =>
  before.boundAt !== after.boundAt ||
  before.activeAt !== after.activeAt ||
  before.unprovenSince !== after.unprovenSince ||
  before.failure !== after.failure;

const writeStatement = statement(
  'domains.write-look',
  {
    params: {
      ...pick(projectDomains, 'orgId', 'projectId', 'name', 'observed', 'unanswered', 'checkedAt', 'boundAt'),
      ...pick(projectDomains, 'activeAt', 'unprovenSince', 'failure', 'leadsHere', 'nextCheckAt'),
      isChanged: typed<boolean>('boolean'),
    },
    row: domainColumns,
  },
  ({ orgId, projectId, name, isChanged, ...values }, row) => sql`update ${projectDomains} ${setOf(projectDomains, {
    ...values,
    updatedAt: sql`case when ${isChanged}::boolean then now() else ${projectDomains.updatedAt} end`,
  })} where ${projectDomains.orgId} = ${orgId} and ${projectDomains.projectId} = ${projectId}
    and ${projectDomains.name} = ${name} returning ${row}`,
);
