import { sql } from '../../../db/drizzle.ts';
import { type DomainFailure, type ObservedDomain, projectDomains } from '../../../db/schema/hosts.ts';
import { pick, setOf, statement, typed } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { mailHostOf } from '../../mailboxes/shared/mail-domain.ts';
import { letGoMailDomain } from '../../mailboxes/shared/mail-domains.ts';
import { orderCertificatesTask } from '../certificates/order-certificates.ts';
import { unbindHost } from '../shared/host-names.ts';
import { mailNameOf, resolveStrategy, wantedMail } from './desired-mail.ts';
import { type DomainRow, domainColumns, mailOwner, type ProjectDomain, standing } from './domain-rows.ts';
import { takeHost, takeMail } from './hold-host.ts';
import { isServed, leadsThere } from './judge.ts';
import { targetOf } from './look.ts';
import { nextLook } from './next-look.ts';
import { isProven } from './proof.ts';
import { settleMail } from './settle-mail.ts';

/** How long a domain stays with its project once its proof is gone, in milliseconds: three days to put it back. */
const unprovenMs = 72 * 3_600_000;

type Changed = Pick<DomainRow, 'boundAt' | 'activeAt' | 'unprovenSince' | 'failure'>;

type Settling = Pick<Work, 'rows' | 'afterCommit' | 'services' | 'addJob'>;

/**
 * Writes what a look at a domain says, and draws the conclusions: a proven domain is bound, and one whose proof stays away
 * is let go.
 *
 * @param given locked in this transaction
 * @param observed undefined when the look was not answered, from which nothing is concluded
 */
export async function settleLook(
  work: Settling,
  given: DomainRow,
  publicId: string,
  observed: ObservedDomain | undefined,
): Promise<ProjectDomain> {
  const { services } = work;
  const now = services.now();
  const key = { orgId: given.orgId, projectId: given.projectId, name: given.name };
  const desired =
    observed === undefined ? given.desired : resolveStrategy(given.desired, observed, mailHostOf(services));
  const row = { ...given, desired };
  const changed = observed === undefined ? row : await conclude(work, row, observed, now);
  const leadsHere = observed === undefined ? row.leadsHere : leadsThere(observed, targetOf(services, publicId));
  const looked = {
    ...row,
    ...changed,
    leadsHere,
    observed: observed ?? row.observed,
    unanswered: observed === undefined,
    checkedAt: now,
  };
  const seen = observed === undefined ? looked : { ...looked, ...(await settleMail(work, looked, publicId)) };
  const judged = standing(services, seen, publicId);
  const activeAt = seen.activeAt ?? (isServed(judged) ? now : null);
  const [written] = await work.rows(
    writeStatement.with({
      ...key,
      desired: JSON.stringify(desired),
      observed: seen.observed === null ? null : JSON.stringify(seen.observed),
      unanswered: seen.unanswered,
      checkedAt: now,
      boundAt: seen.boundAt,
      activeAt,
      unprovenSince: seen.unprovenSince,
      failure: seen.failure,
      leadsHere: seen.leadsHere,
      nextCheckAt: nextLook(judged.status, seen, now),
      isChanged: hasMoved(given, { ...seen, activeAt }),
    }),
  );
  const isNewHere = leadsHere && seen.boundAt !== null && (!row.leadsHere || row.boundAt === null);
  if (isNewHere && services.certificateAuthority !== undefined)
    await work.addJob(orderCertificatesTask, {}, { key: orderCertificatesTask });
  return standing(services, written!, publicId);
}

async function conclude(work: Settling, row: DomainRow, observed: ObservedDomain, now: Date): Promise<Changed> {
  const { boundAt, activeAt, unprovenSince, failure, desired, mail } = row;
  const key = { orgId: row.orgId, projectId: row.projectId, name: row.name };
  const wanted =
    failure === null ? { web: desired.web.enabled, mail: wantedMail(desired) } : { web: false, mail: undefined };
  if (boundAt !== null && !wanted.web) await unbindHost(work, key);
  if (mail !== null && wanted.mail === undefined) await letGoMailDomain(work, mailOwner(row));
  const bound = wanted.web ? boundAt : null;
  if (!wanted.web && wanted.mail === undefined) return { boundAt: null, activeAt, unprovenSince: null, failure };
  if (isProven(observed, row.token)) {
    const isHeld = wanted.web && (bound !== null || (await takeHost(work, key, observed)));
    const name = wanted.mail === undefined ? undefined : mailNameOf(row.name, wanted.mail);
    if (name !== undefined && mail?.name !== name) await takeMail(work, key, name, observed);
    return { boundAt: isHeld ? (bound ?? now) : null, activeAt, unprovenSince: null, failure };
  }
  if (bound === null && mail === null) return { boundAt: bound, activeAt, unprovenSince: null, failure };
  const since = unprovenSince ?? now;
  if (now.getTime() - since.getTime() < unprovenMs) return { boundAt: bound, activeAt, unprovenSince: since, failure };
  await unbindHost(work, key);
  await letGoMailDomain(work, mailOwner(row));
  return { boundAt: null, activeAt: null, unprovenSince: null, failure: 'ownership_lost' satisfies DomainFailure };
}

const hasMoved = (before: Changed & Pick<DomainRow, 'mail'>, after: Changed & Pick<DomainRow, 'mail'>): boolean =>
  before.boundAt !== after.boundAt ||
  before.activeAt !== after.activeAt ||
  before.unprovenSince !== after.unprovenSince ||
  before.failure !== after.failure ||
  JSON.stringify(before.mail) !== JSON.stringify(after.mail);

const writeStatement = statement(
  'domains.write-look',
  {
    params: {
      ...pick(
        projectDomains,
        'orgId',
        'projectId',
        'name',
        'desired',
        'observed',
        'unanswered',
        'checkedAt',
        'boundAt',
      ),
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
