import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { hostCertificates, hostNames, projectDomains } from '../../../db/schema/hosts.ts';
import { computed, pick, type RowOf, statement } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import { ownerOf, type ProjectScope } from '../../../kernel/access/access.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { domainOfProject, mailHostOf } from '../../mailboxes/shared/mail-domain.ts';
import { canonicalDomain } from './domain-name.ts';
import { type CertificateState, type DomainFacts, judge } from './judge.ts';
import type { Judgement } from './judgement.ts';
import { targetOf } from './look.ts';
import { mailColumns } from './mail-standing.ts';

export const domainKey = pick(projectDomains, 'orgId', 'projectId', 'name');

/** The columns of a {@link DomainRow}. */
export const domainColumns = {
  ...pick(projectDomains, 'orgId', 'projectId', 'name', 'desired', 'token', 'observed', 'checkedAt', 'unanswered'),
  ...pick(projectDomains, 'boundAt', 'activeAt', 'unprovenSince', 'failure', 'leadsHere', 'createdAt', 'updatedAt'),
  ...pick(projectDomains, 'dkimPublicKey'),
  ...mailColumns,
  boundElsewhere: computed<boolean>(
    'boolean',
    sql`exists (select from ${hostNames} where ${hostNames.name} = ${projectDomains.name}
      and ${hostNames.projectId} <> ${projectDomains.projectId})`,
  ),
  /** Null before it is ordered. */
  certificateState: computed<CertificateState | null>(
    'text',
    sql`(select case when ${hostCertificates.notAfter} > now() then 'ready' when ${hostCertificates.failures} > 0 then 'failing'
      else 'pending' end from ${hostCertificates} where ${hostCertificates.host} = ${projectDomains.name})`,
  ),
};

export type DomainRow = RowOf<typeof domainColumns>;

/** A domain as it stands. */
export interface ProjectDomain extends DomainRow, Judgement {
  readonly target: string;
}

/** @param publicId of the domain's project */
export function standing(services: Services, row: DomainRow, publicId: string): ProjectDomain {
  const facts = factsOf(services, row, publicId);
  return { ...row, target: facts.target, ...judge(facts) };
}

/** Everything that a domain is judged by. */
export function factsOf(services: Services, row: DomainRow, publicId: string): DomainFacts {
  const { receivesMail } = services.settings;
  return {
    ...row,
    target: targetOf(services, publicId),
    certificate: services.certificateAuthority === undefined ? undefined : (row.certificateState ?? 'pending'),
    mailHost: mailHostOf(services),
    managedDomain: domainOfProject(services, publicId),
    receivesMail,
  };
}

/** A domain of the caller's project, by any spelling of its name. @throws DOMAIN_NOT_FOUND */
export async function findDomain(rows: Rows, scope: ProjectScope, given: string): Promise<DomainRow> {
  const name = canonicalDomain(given);
  const [row] = name === undefined ? [] : await rows(findStatement.with({ ...ownerOf(scope), name }));
  if (row === undefined) throw domainNotFound(given);
  return row;
}

export const domainNotFound = (domain: string) => new ServiceError('DOMAIN_NOT_FOUND', { details: { domain } });

/** A domain of a project by its name, as it is kept. */
export const findStatement = statement(
  'domains.find',
  { params: domainKey, row: domainColumns },
  (given, row) => sql`select ${row} from ${projectDomains} where ${projectDomains.orgId} = ${given.orgId}
    and ${projectDomains.projectId} = ${given.projectId} and ${projectDomains.name} = ${given.name}`,
);

/** The same with its row locked until the change is committed. */
export async function lockDomain(
  rows: Rows,
  key: { readonly orgId: string; readonly projectId: string; readonly name: string },
): Promise<DomainRow | undefined> {
  const [row] = await rows(lockStatement.with(key));
  return row;
}

/** A domain of the caller's project, by any spelling of its name, with its row locked. @throws DOMAIN_NOT_FOUND */
export async function lockNamedDomain(work: Pick<Work, 'rows'> & ProjectScope, given: string): Promise<DomainRow> {
  const name = canonicalDomain(given);
  const row = name === undefined ? undefined : await lockDomain(work.rows, { ...ownerOf(work), name });
  if (row === undefined) throw domainNotFound(given);
  return row;
}

/** A domain as what there is of its mail names it. */
export const mailOwner = ({ orgId, projectId, name }: Pick<DomainRow, 'orgId' | 'projectId' | 'name'>) => ({
  orgId,
  projectId,
  domain: name,
});

const lockStatement = statement(
  'domains.lock',
  { params: domainKey, row: domainColumns },
  (given, row) => sql`select ${row} from ${projectDomains} where ${projectDomains.orgId} = ${given.orgId}
    and ${projectDomains.projectId} = ${given.projectId} and ${projectDomains.name} = ${given.name} for update`,
);
