import { randomUUID } from 'node:crypto';
import type { Queries, Statement } from '../../../db/pool.ts';
import type { CallerPrincipal } from '../../../kernel/access/caller.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { newcomerRate } from '../../../kernel/limits/limits.ts';
import { assertWithinRate } from '../../../kernel/limits/rate-limit.ts';
import type { Services } from '../../../kernel/run/context.ts';

/** Something that one principal is known by, whoever shows or names it first. */
export interface Subject {
  readonly kind: 'wallet' | 'email';
  /** A wallet's lower-case address, a normalised mail address. */
  readonly publicSubject: string;
}

/** What becomes of a subject that nobody has shown or named before. */
export interface Newcomer {
  readonly type: CallerPrincipal['type'];
  /** Whether it has been proven by whoever shows it; naming somebody proves nothing. */
  readonly verified: boolean;
}

export interface SubjectPrincipal {
  readonly principalId: string;
  /** Proven to be the principal's own, and neither taken back nor disabled. */
  readonly verified: boolean;
}

/**
 * The principal that a subject names, inside the transaction that names it; an unknown one is made, for whoever shows up
 * with it later.
 *
 * @param host the organization that names it, which has an allowance of newcomers: each stays for good
 * @param type what an unknown one is taken for
 * @throws RATE_LIMITED when the organization names too many
 */
export async function findOrCreatePrincipal(
  work: Work,
  subject: Subject,
  host: string,
  type: CallerPrincipal['type'] = 'human',
): Promise<SubjectPrincipal> {
  const values = [subject.kind, subject.publicSubject];
  const [known] = await work.rows<SubjectPrincipal>(findStatement, values);
  if (known !== undefined) return known;
  const { services } = work;
  assertWithinRate(services.rateLimiter.take(`newcomers:${host}`, newcomerRate));
  // Naming somebody proves nothing: a wallet is proven by its first signature, a mail address once it was answered.
  await createPrincipal(work.client, services, subject, { type, verified: false });
  const [made] = await work.rows<SubjectPrincipal>(findStatement, values);
  return made!;
}

/** Makes the principal of a subject, unless somebody else just did: those who race wait for each other. */
export async function createPrincipal(
  client: Queries,
  { newId }: Pick<Services, 'newId'>,
  { kind, publicSubject }: Subject,
  { type, verified }: Newcomer,
): Promise<void> {
  await client.query({ ...lockStatement, values: [`${kind}:${publicSubject}`] });
  const values = [newId('prn'), type, randomUUID(), kind, publicSubject, verified];
  await client.query({ ...createStatement, values });
}

const findStatement: Statement = {
  name: 'identity.subject',
  text: `select p.id as "principalId", a.verified_at is not null and a.revoked_at is null and p.disabled_at is null as verified
    from authenticators a join principals p on p.id = a.principal_id
    where a.kind = $1 and a.public_subject = $2`,
};

const lockStatement: Statement = {
  name: 'identity.subject.lock',
  text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
};

const createStatement: Statement = {
  name: 'identity.subject.create',
  text: `with fresh as (
      insert into principals (id, type)
      select $1, $2 where not exists (select from authenticators where kind = $4 and public_subject = $5)
      returning id
    )
    insert into authenticators (id, principal_id, kind, public_subject, verified_at)
      select $3, fresh.id, $4, $5, case when $6::boolean then now() end from fresh`,
};
