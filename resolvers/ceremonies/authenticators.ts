import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import type { Statement } from '../../db/pool.ts';
import { mutation, query } from '../operation.ts';
import { lockPerson } from './people.ts';
import { tellPosturesOf } from './recovery-posture.ts';
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
      subject_hint: label ?? hintOf(kind, subject),
      added_at: addedAt.toISOString(),
      last_used_at: lastUsedAt?.toISOString() ?? null,
    })),
  }),
});

/** Enough to be recognised by its owner. */
const hintOf = (kind: string, subject: string): string =>
  kind === 'passkey' ? `…${subject.slice(-6)}` : kind === 'oauth' ? subject.split(':')[0]! : subject;

/** `DELETE /agent/v1/control-plane/authenticators/:id`. */
export const removeAuthenticator = mutation({
  name: 'authenticators.remove',
  summary: 'Take away something that a person signs in with; what an owner of organizations needs stays.',
  access: inSession('control_plane'),
  stepUp: 'authenticator.remove',
  input: z.object({ id: z.string().min(1).max(64).describe('The authenticator.') }),
  async handler(work, { id }): Promise<{ id: string; kind: string }> {
    const principalId = work.session.principal.id;
    await lockPerson(work, principalId);
    const [found] = await work.rows<{ kind: string; owns: boolean; others: number; waysIn: number }>(findStatement, [
      principalId,
      id,
    ]);
    // A wallet is its holder's key: giving it up is not for a person's session.
    if (found === undefined || found.kind === 'wallet')
      throw new ServiceError('RESOURCE_NOT_FOUND', { message: 'There is no such authenticator.' });
    const { kind, owns, others, waysIn } = found;
    if (kind === 'passkey' && owns && others === 0) throw new ServiceError('OWNER_NEEDS_PASSKEY');
    if (waysIn === 0)
      throw new ServiceError('VALIDATION_FAILED', {
        message: 'This is the only way left to sign in.',
        details: { reason: 'last_authenticator' },
      });
    await work.rows(removeStatement, [id]);
    await tellPosturesOf(work, principalId);
    return { id, kind };
  },
  audit: ({ id, kind }) => ({
    action: 'authenticator.removed',
    object: { kind: 'authenticator', id },
    details: { kind },
  }),
  wire: z.object({ status: z.literal('revoked'), kind: z.string() }),
  toWire: ({ kind }) => ({ status: 'revoked' as const, kind }),
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
  text: `select a.kind,
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
