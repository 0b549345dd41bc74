import { randomUUID } from 'node:crypto';
import { advisoryLock } from '../../../db/advisory-lock.ts';
import { sql } from '../../../db/drizzle.ts';
import type { Queries } from '../../../db/pool.ts';
import { authenticators, principals } from '../../../db/schema/identity.ts';
import { computed, insertSelect, pick, statement, typed } from '../../../db/sql.ts';
import { rowsOn } from '../../../db/transaction.ts';
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
  const find = findStatement.with(subject);
  const [known] = await work.rows(find);
  if (known !== undefined) return known;
  const { services } = work;
  assertWithinRate(services.rateLimiter.take(`newcomers:${host}`, newcomerRate));
  // Naming somebody proves nothing: a wallet is proven by its first signature, a mail address once it was answered.
  await createPrincipal(work.client, services, subject, { type, verified: false });
  const [made] = await work.rows(find);
  return made!;
}

/** Makes the principal of a subject, unless somebody else just did: those who race wait for each other. */
export async function createPrincipal(
  client: Queries,
  { newId }: Pick<Services, 'newId'>,
  { kind, publicSubject }: Subject,
  { type, verified }: Newcomer,
): Promise<void> {
  const rows = rowsOn(client);
  await rows(advisoryLock.with({ key: `${kind}:${publicSubject}` }));
  const made = { principalId: newId('prn'), type, id: randomUUID(), kind, publicSubject, verified };
  await rows(createStatement.with(made));
}

const findStatement = statement(
  'identity.subject',
  {
    params: pick(authenticators, 'kind', 'publicSubject'),
    row: {
      principalId: principals.id,
      verified: computed<boolean>(
        'boolean',
        sql`${authenticators.verifiedAt} is not null and ${authenticators.revokedAt} is null
          and ${principals.disabledAt} is null`,
      ),
    },
  },
  ({ kind, publicSubject }, row) => sql`select ${row} from ${authenticators}
    join ${principals} on ${principals.id} = ${authenticators.principalId}
    where ${authenticators.kind} = ${kind} and ${authenticators.publicSubject} = ${publicSubject}`,
);

const createStatement = statement(
  'identity.subject.create',
  {
    params: {
      ...pick(authenticators, 'principalId', 'id', 'kind', 'publicSubject'),
      type: principals.type,
      verified: typed<boolean>('boolean'),
    },
  },
  ({ principalId, id, kind, publicSubject, type, verified }) => {
    const isUnknown = sql`where not exists (
      select from ${authenticators}
      where ${authenticators.kind} = ${kind} and ${authenticators.publicSubject} = ${publicSubject})`;
    const values = {
      id,
      principalId: sql`fresh.id`,
      kind,
      publicSubject,
      verifiedAt: sql`case when ${verified}::boolean then now() end`,
    };
    return sql`with fresh as (
        ${insertSelect(principals, { id: principalId, type }, isUnknown)} returning ${principals.id}
      )
      ${insertSelect(authenticators, values, sql`from fresh`)}`;
  },
);
