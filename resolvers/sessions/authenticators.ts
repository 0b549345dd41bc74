import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { alias, sql } from '../../db/drizzle.ts';
import { authenticators } from '../../db/schema/identity.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { passkeys } from '../../db/schema/sign-in-flows.ts';
import { computed, from, orNull, pick, setOf, statement, typed } from '../../db/sql.ts';
import { mutation, query } from '../../kernel/run/operation.ts';
import { notifyPosturesOf } from '../members/shared/recovery-posture.ts';
import { endWhatRestsOn } from './end-what-rests.ts';
import { notifyPerson } from './notify-person.ts';
import { lockPerson } from './people.ts';
import { inSession } from './session-scope.ts';

export interface ShownAuthenticator {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly label: string | null;
  readonly addedAt: Date;
  readonly lastUsedAt: Date | null;
}

/** `GET /agent/v1/control-plane/authenticators`. Contract 01, section 5.14. */
export const listAuthenticators = query({
  name: 'authenticators.list',
  summary: 'What a person signs in with.',
  access: inSession('control_plane'),
  input: z.object({}),
  handler: ({ session, services }): Promise<ShownAuthenticator[]> =>
    services.db.rows(listStatement.with({ principalId: session.principal.id })),
  wire: z.object({
    authenticators: z.array(
      z.object({
        id: z.string(),
        kind: z.string(),
        subject_hint: z.string(),
        added_at: z.iso.datetime(),
        last_used_at: z.iso.datetime().nullable(),
      }),
    ),
  }),
  toWire: (rows) => ({
    authenticators: rows.map(({ id, kind, subject, label, addedAt, lastUsedAt }) => ({
      id,
      kind,
      subject_hint: hintOf({ kind, label, subject }),
      added_at: addedAt.toISOString(),
      last_used_at: lastUsedAt?.toISOString() ?? null,
    })),
  }),
});

type Named = Pick<ShownAuthenticator, 'kind' | 'label' | 'subject'>;

/** Enough to be recognised by its owner. */
const hintOf = ({ kind, label, subject }: Named): string =>
  label ?? (kind === 'passkey' ? `…${subject.slice(-6)}` : kind === 'oauth' ? subject.split(':')[0]! : subject);

const kindNames: Readonly<Record<string, string>> = {
  email: 'Mail address',
  passkey: 'Passkey',
  oauth: 'Social account',
  wallet: 'Wallet',
};

/** What an authenticator is called by its person. */
export const nameOf = (one: Named): string => `${kindNames[one.kind] ?? one.kind}: ${hintOf(one)}`;

/**
 * `DELETE /agent/v1/control-plane/authenticators/:id`: with a stolen passkey its thief is out, too. The session that asks
 * ends with the others if it rests on what is removed. What an owner of organizations needs stays.
 */
export const removeAuthenticator = mutation({
  name: 'authenticators.remove',
  summary: 'Take away something that a person signs in with, and end the sessions that rest on it.',
  access: inSession('control_plane'),
  stepUp: 'authenticator.remove',
  input: z.object({ id: z.string().min(1).max(64).describe('The authenticator.') }),
  async handler(work, { id }): Promise<{ id: string; kind: string; ended: number }> {
    const principalId = work.session.principal.id;
    await lockPerson(work, principalId);
    const [found] = await work.rows(findStatement.with({ principalId, id }));
    // A wallet is its holder's key: giving it up is not for a person's session.
    if (found === undefined || found.kind === 'wallet')
      throw new ServiceError('RESOURCE_NOT_FOUND', { message: 'There is no such authenticator.' });
    const { kind, subject, owns, others, waysIn } = found;
    if (kind === 'passkey' && owns && others === 0) throw new ServiceError('OWNER_NEEDS_PASSKEY');
    if (waysIn === 0)
      throw new ServiceError('VALIDATION_FAILED', {
        message: 'This is the only way left to sign in.',
        details: { reason: 'last_authenticator' },
      });
    await notifyPerson(work, principalId, `Something was removed that signed you in: ${nameOf(found)}.`);
    await work.rows(removeStatement.with({ id }));
    const ended = await endWhatRestsOn(work, principalId, { id, kind, subject });
    await notifyPosturesOf(work, principalId);
    return { id, kind, ended };
  },
  audit: ({ id, kind, ended }) => ({
    action: 'authenticator.removed',
    object: { kind: 'authenticator', id },
    details: { kind, sessions_ended: ended },
  }),
  wire: z.object({ status: z.literal('revoked'), kind: z.string(), sessions_ended: z.int() }),
  toWire: ({ kind, ended }) => ({ status: 'revoked' as const, kind, sessions_ended: ended }),
});

const shown = { kind: authenticators.kind, subject: authenticators.publicSubject };

const listStatement = statement(
  'authenticators.list',
  {
    params: pick(authenticators, 'principalId'),
    row: {
      id: authenticators.id,
      ...shown,
      ...orNull(pick(passkeys, 'label', 'lastUsedAt')),
      addedAt: authenticators.createdAt,
    },
  },
  ({ principalId }, row) => sql`select ${row} from ${authenticators}
    left join ${passkeys} on ${passkeys.id} = ${authenticators.id}
    where ${authenticators.principalId} = ${principalId} and ${authenticators.verifiedAt} is not null
      and ${authenticators.revokedAt} is null and ${authenticators.kind} <> 'delegate'
    order by ${authenticators.createdAt}, ${authenticators.id}`,
);

const other = alias(authenticators, 'other');
const others = sql`${from(other)} where ${other.principalId} = ${authenticators.principalId}
  and ${other.revokedAt} is null and ${other.id} <> ${authenticators.id}`;

// Any text may be given as an id.
const findStatement = statement(
  'authenticators.find',
  {
    params: { principalId: authenticators.principalId, id: typed<string>('text') },
    row: {
      ...shown,
      label: computed<string | null>(
        'text',
        sql`(select ${passkeys.label} from ${passkeys} where ${passkeys.id} = ${authenticators.id})`,
      ),
      owns: computed<boolean>(
        'boolean',
        sql`exists (select from ${memberships} where ${memberships.principalId} = ${authenticators.principalId}
          and ${memberships.role} = 'owner' and ${memberships.status} = 'active')`,
      ),
      /** Others of its kind. */
      others: computed<number>(
        'integer',
        sql`(select count(*)::int from ${others} and ${other.kind} = ${authenticators.kind})`,
      ),
      /** Others that sign in. */
      waysIn: computed<number>(
        'integer',
        sql`(select count(*)::int from ${others} and ${other.kind} in ('email', 'passkey', 'oauth', 'wallet')
          and ${other.verifiedAt} is not null)`,
      ),
    },
  },
  ({ principalId, id }, row) => sql`select ${row} from ${authenticators}
    where ${authenticators.principalId} = ${principalId} and ${authenticators.id}::text = ${id}
      and ${authenticators.revokedAt} is null and ${authenticators.kind} <> 'delegate'`,
);

const removeStatement = statement(
  'authenticators.remove',
  { params: { id: typed<string>('text') } },
  ({ id }) => sql`with gone as (
      update ${authenticators} ${setOf(authenticators, { revokedAt: sql`clock_timestamp()` })}
      where ${authenticators.id}::text = ${id} returning ${authenticators.id}
    )
    update ${passkeys} ${setOf(passkeys, { revokedAt: sql`clock_timestamp()` })} from gone
    where ${passkeys.id} = gone.id`,
);
