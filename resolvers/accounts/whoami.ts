import { z } from 'zod';
import { signedIn } from '../../kernel/access/access.ts';
import type { CallerAuthenticator, CallerPrincipal } from '../../kernel/access/caller.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { query } from '../../kernel/run/operation.ts';
import { membershipsStatement } from '../orgs/shared/memberships.ts';
import type { MembershipRow } from '../orgs/shared/wire.ts';
import { MembershipWire, membershipToWire } from '../orgs/shared/wire.ts';
import { type EncryptionKey, newestKeyOf } from '../vaults/shared/member-keys.ts';
import { EncryptionKeyWire, encryptionKeyToWire } from '../vaults/shared/wire.ts';

export interface Identity {
  readonly principal: CallerPrincipal;
  readonly authenticator: CallerAuthenticator | null;
  readonly memberships: readonly MembershipRow[];
}

/** A principal with where it belongs. */
export async function identityOf(
  rows: Work['rows'],
  { principal, authenticator }: Pick<Identity, 'principal' | 'authenticator'>,
): Promise<Identity> {
  return {
    principal,
    authenticator,
    memberships: await rows(membershipsStatement.with({ principalId: principal.id })),
  };
}

/** `GET /agent/v1/whoami`. Contract 01, section 5.15. */
export const whoami = query({
  name: 'identity.whoami',
  tool: 'whoami',
  command: 'org whoami',
  summary: 'The principal behind the credential, and the organizations it belongs to.',
  path: 'GET /agent/v1/whoami',
  access: signedIn('wallet', 'control_plane', 'operator', 'delegate'),
  input: z.object({}),
  handler: ({ principal, services }) => identityOf(services.db.rows, principal),
  wire: z
    .object({
      principal: z.object({
        id: z.string(),
        type: z.enum(['human', 'agent', 'ci']),
        display_name: z.string().nullable(),
        created_at: z.iso.datetime().nullable(),
        disabled_at: z.iso.datetime().nullable(),
      }),
      memberships: z.array(MembershipWire),
      authenticator_id: z.string().nullable(),
      active_authenticator: z
        .object({ authenticator_id: z.string(), kind: z.string(), public_subject: z.string() })
        .nullable(),
      linked_identities: z.array(z.unknown()),
      encryption_key: EncryptionKeyWire.nullable(),
    })
    .meta({ id: 'Identity' }),
  // Looked up for those who show it: a graph that does not ask for the key never pays for it.
  toWire: async ({ principal, authenticator, memberships }, ctx) => ({
    principal: {
      id: principal.id,
      type: principal.type,
      display_name: principal.displayName,
      created_at: principal.createdAt.toISOString(),
      // A disabled principal never gets this far.
      disabled_at: null,
    },
    memberships: memberships.map(membershipToWire),
    authenticator_id: authenticator?.id ?? null,
    active_authenticator:
      authenticator === null
        ? null
        : { authenticator_id: authenticator.id, kind: authenticator.kind, public_subject: authenticator.publicSubject },
    linked_identities: [],
    encryption_key: keyToWire(await newestKeyOf(ctx, principal.id)),
  }),
});

const keyToWire = (key: EncryptionKey | null) => (key === null ? null : encryptionKeyToWire(key));
