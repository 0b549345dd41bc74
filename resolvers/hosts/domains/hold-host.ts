import { sql } from '../../../db/drizzle.ts';
import { hostNames, type ObservedDomain, projectDomains } from '../../../db/schema/hosts.ts';
import { computed, pick, setOf, statement } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { holderOfMail, holdMailDomain, letGoMailDomain } from '../../mailboxes/shared/mail-domains.ts';
import { bindHost, unbindHost } from '../shared/host-names.ts';
import { mailOwner } from './domain-rows.ts';
import { isProven } from './proof.ts';

interface HostKey {
  readonly orgId: string;
  readonly projectId: string;
  readonly name: string;
}

/**
 * Binds a domain to the project that has proven to own it. Another project loses it when its own proof is gone: whoever
 * sets the records of a domain decides whose it is.
 *
 * @returns whether the domain is the project's now
 */
export async function takeHost(
  work: Pick<Work, 'rows' | 'afterCommit' | 'services'>,
  key: HostKey,
  observed: ObservedDomain,
): Promise<boolean> {
  const [holder] = await work.rows(holderStatement.with({ name: key.name }));
  if (holder !== undefined && holder.projectId !== key.projectId) {
    if (holder.token === null || isProven(observed, holder.token)) return false;
    await loseDomain(work, { ...holder, name: key.name });
  }
  return bindHost(work, key);
}

/**
 * Gives mail of a domain to the project that has proven to own it, by the same rule.
 *
 * @param name behind the `@` of its addresses, another than before: what it had below that is let go
 * @returns whether the mail is the project's now
 */
export async function takeMail(
  work: Pick<Work, 'rows' | 'afterCommit' | 'services'>,
  key: HostKey,
  name: string,
  observed: ObservedDomain,
): Promise<boolean> {
  // Mail below the name before is not wanted any more, whosever this one is.
  await letGoMailDomain(work, mailOwner(key));
  const holder = await holderOfMail(work, name);
  if (holder !== undefined && holder.projectId !== key.projectId) {
    // What was seen tells of proofs of this very domain alone.
    if (holder.domain !== key.name || holder.token === null || isProven(observed, holder.token)) return false;
    await loseDomain(work, { ...holder, name: key.name });
  }
  return holdMailDomain(work, { ...mailOwner(key), name });
}

/** Takes a domain from the project whose proof is gone, with all that rests on it. */
async function loseDomain(work: Pick<Work, 'rows' | 'afterCommit' | 'services'>, key: HostKey): Promise<void> {
  await unbindHost(work, key);
  await letGoMailDomain(work, mailOwner(key));
  await work.rows(loseStatement.with({ orgId: key.orgId, projectId: key.projectId, name: key.name }));
}

/** What the holder of a name proves it by. */
const tokenOfHolder = computed<string | null>(
  'text',
  sql`(select ${projectDomains.token} from ${projectDomains} where ${projectDomains.orgId} = ${hostNames.orgId}
    and ${projectDomains.projectId} = ${hostNames.projectId} and ${projectDomains.name} = ${hostNames.name})`,
);

// A name without a domain row is a subdomain, which nobody proves. The row of the name is locked, so that of two who
// take it at once the second sees whose it is.
const holderStatement = statement(
  'domains.holder',
  { params: pick(hostNames, 'name'), row: { ...pick(hostNames, 'orgId', 'projectId'), token: tokenOfHolder } },
  ({ name }, row) => sql`select ${row} from ${hostNames} where ${hostNames.name} = ${name} for update of ${hostNames}`,
);

const loseStatement = statement(
  'domains.lose',
  { params: pick(projectDomains, 'orgId', 'projectId', 'name') },
  (given) => sql`update ${projectDomains} ${setOf(projectDomains, {
    boundAt: sql`null`,
    activeAt: sql`null`,
    unprovenSince: sql`null`,
    failure: sql`'taken_over'`,
    updatedAt: sql`now()`,
  })} where ${projectDomains.orgId} = ${given.orgId} and ${projectDomains.projectId} = ${given.projectId}
    and ${projectDomains.name} = ${given.name}`,
);
