import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { findProjectTarget } from '../../kernel/access/project-target.ts';
import { stepMutation } from '../../kernel/run/operation.ts';
import { email, newPassword } from './auth-input.ts';
import { createChallenge } from './challenges.ts';
import { userData } from './client-user.ts';
import { lockAddressStatement } from './lock-user.ts';
import { hashPassword } from './passwords.ts';
import {
  managedByEmailStatement as findStatement,
  type ManagedUser,
  ManagedUserWire,
  nothingToUndo,
  onOwnProject,
  ownProject,
} from './project-users.ts';
import { requireRedirect } from './redirects.ts';
import { clientState, countTrustedMail, missingRedirect, redirectUrl, stateText } from './request-link.ts';
import { momentOrNull } from './rows.ts';
import { type AuthStatement, authBatch, authRow } from './shared/auth-rows.ts';
import { forgetStandings } from './shared/standing.ts';
import { mailChallengeWith } from './sign-in-mail.ts';

export interface CreatedUser {
  readonly user: ManagedUser;
  readonly created: boolean;
  readonly inviteSent: boolean;
}

interface Prepared {
  readonly hash: string | undefined;
  readonly redirect: string | undefined;
}

/** `POST /auth/v1/admin/users`. Contract 01, section 3.7. */
export const createUser = stepMutation({
  name: 'users.create',
  tool: 'create_auth_user',
  command: 'auth create-user',
  effects: ['idempotent', 'openWorld'],
  summary: 'Make a user of a project, or change one that is there, and invite it by mail if told to.',
  access: onOwnProject(),
  lifecycle: 'gated',
  input: z.object({
    project_id: ownProject,
    email,
    is_admin: z.boolean().optional().describe('Whether it manages the project; a known user stays what it is.'),
    password: newPassword
      .optional()
      .describe('Password of a new user, 6 characters to 72 bytes; none unless told. A known user is refused with it.')
      .meta({ secret: true }),
    email_confirm: z.boolean().default(false).describe('Whether the address of a new user is known to be theirs.'),
    data: userData.optional(),
    send_invite: z.boolean().default(false).describe('Whether a link to sign in is mailed.'),
    redirect_url: redirectUrl.optional(),
    client_state: clientState.optional(),
  }),
  steps: {
    // A password takes its time, and transactions are few.
    async prepare({ services, project }, { email, password, send_invite, redirect_url }): Promise<Prepared> {
      const target = await findProjectTarget(services, project.id);
      if (send_invite && redirect_url === undefined) throw missingRedirect();
      const redirect =
        redirect_url === undefined ? undefined : await requireRedirect(services, target, 'redirect_url', redirect_url);
      if (send_invite) await countTrustedMail(services, target, email);
      if (password !== undefined && (await authRow(services, target, findStatement, [email])) !== undefined)
        throw new ServiceError('EMAIL_ALREADY_REGISTERED');
      return {
        hash: password === undefined ? undefined : await hashPassword(services, target, password),
        redirect: redirect?.href,
      };
    },
    async begin({ services, project, org }, given, { hash, redirect }: Prepared) {
      const { email, is_admin, send_invite, client_state, email_confirm, data } = given;
      const state = stateText(client_state);
      return {
        ref: {
          projectId: project.id,
          // Should the user be new.
          userId: randomUUID(),
          email,
          ...(is_admin === undefined ? {} : { isAdmin: String(is_admin) }),
          ...(email_confirm ? { confirmed: 'true' } : {}),
          ...(data === undefined ? {} : { data: JSON.stringify(data) }),
          // Sealed on its way into the project's database.
          ...(hash === undefined
            ? {}
            : { hash: services.keys.seal('stored-outcomes', Buffer.from(hash), sealedFor(email)).toString('base64') }),
          ...(send_invite ? { redirectUrl: redirect! } : {}),
          ...(state === null ? {} : { clientState: state }),
        },
        orgId: org.id,
        audit: {
          action: 'project.user_created',
          object: { kind: 'project', id: project.id },
          details: { email, ...(is_admin === undefined ? {} : { is_admin }), invite_sent: send_invite },
        },
      };
    },
    async effect({ services }, { projectId, userId, email, isAdmin, confirmed, data, hash }) {
      const target = await findProjectTarget(services, projectId!);
      const opened =
        hash === undefined
          ? null
          : services.keys.open('stored-outcomes', Buffer.from(hash, 'base64'), sealedFor(email!)).toString();
      const values = [email!, isAdmin ?? null, userId!, opened, confirmed ?? 'false', data ?? '{}'];
      const [, [changed]] = (await authBatch(services, target, [
        [lockAddressStatement, [email!]],
        [upsertStatement, values],
      ])) as [unknown, [string?]];
      forgetStandings(services, target);
      // Somebody else made the user meanwhile: its password is not this one.
      if (changed === undefined) throw new ServiceError('EMAIL_ALREADY_REGISTERED');
    },
    async settle(work, { projectId, userId, email, redirectUrl, clientState }): Promise<CreatedUser> {
      const { services } = work;
      const target = await findProjectTarget(services, projectId!);
      const user = (await authRow<ManagedUser>(services, target, findStatement, [email!]))!;
      if (redirectUrl !== undefined) {
        const id = await createChallenge(services, target, {
          email: email!,
          intent: 'invite',
          delivery: 'link',
          redirect_url: redirectUrl,
          client_state: clientState ?? null,
          state_source: 'service_key',
        });
        await mailChallengeWith(work, projectId!, id);
      }
      return { user, created: user.id === userId, inviteSent: redirectUrl !== undefined };
    },
    undo: nothingToUndo,
  },
  wire: z.object({ ...ManagedUserWire, created: z.boolean(), invite_sent: z.boolean() }),
  toWire: ({ user, created, inviteSent }) => ({
    ...user,
    email_verified_at: momentOrNull(user.email_verified_at),
    created,
    invite_sent: inviteSent,
  }),
});

const sealedFor = (email: string) => `user-password:${email}`;

const upsertStatement: AuthStatement = {
  name: 'user_upsert',
  // Who becomes an admin by an address is its owner: what somebody set up in its name, unproven, signs nobody in any more.
  text: `with unproven as (
      select id from auth.users where email = $1 and id <> $3::uuid and $2::boolean and not is_admin
        and email_verified_at is null and $4::text is null
    ), dropped as (
      delete from auth.passkeys k using unproven where k.user_id = unproven.id
    ), unlinked as (
      delete from auth.identities i using unproven where i.user_id = unproven.id
    ), ended as (
      update auth.sessions s set aal = 'aal1', passkey_id = null, passkey_time = null,
        revoked_at = coalesce(s.revoked_at, now())
      from unproven where s.user_id = unproven.id
    )
    insert into auth.users as u (id, email, is_admin, password_hash, email_verified_at, user_metadata)
    values ($3::uuid, $1, coalesce($2::boolean, false), $4, case when $5::boolean then now() end, $6::jsonb)
    on conflict (email) do update set is_admin = coalesce($2::boolean, u.is_admin),
      -- Asked of the row as it is by now: one that came while this waited is not among those above.
      password_hash = case when $2::boolean and u.id <> $3::uuid and not u.is_admin and u.email_verified_at is null
        then null else u.password_hash end,
      authz_version = u.authz_version + case when coalesce($2::boolean, u.is_admin) <> u.is_admin then 1 else 0 end
    -- With a password: a new user, or this one once more.
    where $4::text is null or u.id = $3::uuid
    returning to_json(u.id)`,
};
