import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import type { Statement } from '../../db/pool.ts';
import { mutation, query } from '../../kernel/run/operation.ts';
import { tellPosturesOf } from '../members/shared/recovery-posture.ts';
import { endWhatRestsOn } from './end-what-rests.ts';
import { lockPerson } from './people.ts';
import { inSession } from './session-scope.ts';
import { tellPerson } from './tell-person.ts';

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
    services.db.rows<ShownAuthenticator>(listStatement, [session.principal.id]),
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

interface FoundAuthenticator {
  readonly kind: string;
  readonly subject: string;
  readonly label: string | null;
  readonly owns: boolean;
  /** Others of its kind. */
  readonly others: number;
  /** Others that sign in. */
  readonly waysIn: number;
}

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
    const [found] = await work.rows<FoundAuthenticator>(findStatement, [principalId, id]);
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
    await tellPerson(work, principalId, `Something was removed that signed you in: ${nameOf(found)}.`);
    await work.rows(removeStatement, [id]);
    const ended = await endWhatRestsOn(work, principalId, { id, kind, subject });
    await tellPosturesOf(work, principalId);
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

const listStatement: Statement = {
  name: 'authenticators.list',
  text: `select a.id, a.kind, a.public_subject as subject, k.label, a.created_at as "addedAt",
      k.last_used_at as "lastUsedAt"
    from authenticators a left join passkeys k on k.id = a.id
    where a.principal_id = $1 and a.verified_at is not null and a.revoked_at is null and a.kind <> 'delegate'
    order by a.created_at, a.id`,
};

// Any text is an id that nobody has.
const findStatement: Statement = {
  name: 'authenticators.find',
  text: `select a.kind, a.public_subject as subject, (select k.label from passkeys k where k.id = a.id) as label,
      exists (select from memberships m
        where m.principal_id = $1 and m.role = 'owner' and m.status = 'active') as owns,
      (select count(*)::int from authenticators o
        where o.principal_id = $1 and o.kind = a.kind and o.revoked_at is null and o.id <> a.id) as others,
      (select count(*)::int from authenticators o
        where o.principal_id = $1 and o.kind in ('email', 'passkey', 'oauth', 'wallet') and o.verified_at is not null
          and o.revoked_at is null and o.id <> a.id) as "waysIn"
    from authenticators a
    where a.principal_id = $1 and a.id::text = $2 and a.revoked_at is null and a.kind <> 'delegate'`,
};

const removeStatement: Statement = {
  name: 'authenticators.remove',
  text: `with gone as (update authenticators set revoked_at = clock_timestamp() where id::text = $1 returning id)
    update passkeys k set revoked_at = clock_timestamp() from gone where k.id = gone.id`,
};
