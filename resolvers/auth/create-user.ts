import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { toJson } from '../../db/json.ts';
import { identities, named, passkeys, sessions, users } from '../../db/project-schema/auth.ts';
import { from, insertInto, nameOf, pick, setOf, typed } from '../../db/sql.ts';
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
  managedToWire,
  nothingToUndo,
  onOwnProject,
  ownProject,
} from './project-users.ts';
import { requireRedirect } from './redirects.ts';
import { clientState, countTrustedMail, missingRedirect, redirectUrl, stateText } from './request-link.ts';
import { roleChange } from './role-change.ts';
import { forgetAccountStatuses } from './shared/account-status.ts';
import { authBatch, authRow, authStatement } from './shared/auth-rows.ts';
import { mailChallengeWith } from './sign-in-mail.ts';
import { endedWithoutPasskey } from './unproven.ts';

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
      if (password !== undefined && (await authRow(services, target, findStatement.with({ email }))) !== undefined)
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
      const [, [changed]] = await authBatch(services, target, [
        lockAddressStatement.with({ email: email! }),
        upsertStatement.with({
          id: userId!,
          email: email!,
          isAdmin: isAdmin === undefined ? null : isAdmin === 'true',
          passwordHash: opened,
          confirmed: confirmed === 'true',
          userMetadata: data ?? '{}',
        }),
      ]);
      forgetAccountStatuses(services, target);
      // Another request made the user meanwhile: its password is not this one.
      if (changed === undefined) throw new ServiceError('EMAIL_ALREADY_REGISTERED');
    },
    async settle(work, { projectId, userId, email, redirectUrl, clientState }): Promise<CreatedUser> {
      const { services } = work;
      const target = await findProjectTarget(services, projectId!);
      const user = (await authRow(services, target, findStatement.with({ email: email! })))!;
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
    ...managedToWire(user),
    created,
    invite_sent: inviteSent,
  }),
});

const sealedFor = (email: string) => `user-password:${email}`;

const k = named(passkeys, 'k');
const i = named(identities, 'i');
const s = named(sessions, 's');

const upsertStatement = authStatement(
  'user_upsert',
  {
    params: {
      ...pick(users, 'id', 'email', 'passwordHash', 'userMetadata'),
      isAdmin: typed<boolean | null>('boolean'),
      confirmed: typed<boolean>('boolean'),
    },
    answer: toJson(users.id),
  },
  // An admin by an address is the owner of the address: what a stranger set up in the owner's name, unproven, no longer signs in.
  ({ id, email, passwordHash, userMetadata, isAdmin, confirmed }, answer) => {
    const isUnproven = sql`${users.id} <> ${id} and not ${users.isAdmin} and ${users.emailVerifiedAt} is null`;
    return sql`with unproven as (
      select ${users.id} from ${users}
      where ${users.email} = ${email} and ${isAdmin}::boolean and ${isUnproven} and ${passwordHash}::text is null
    ), dropped as (
      delete from ${from(k)} using unproven where ${k.userId} = unproven.id
    ), unlinked as (
      delete from ${from(i)} using unproven where ${i.userId} = unproven.id
    ), ended as (
      update ${from(s)} ${setOf(sessions, endedWithoutPasskey(s))} from unproven where ${s.userId} = unproven.id
    )
    ${insertInto(users, {
      id,
      email,
      passwordHash,
      userMetadata,
      isAdmin: sql`coalesce(${isAdmin}::boolean, false)`,
      emailVerifiedAt: sql`case when ${confirmed}::boolean then now() end`,
    })}
    on conflict (${nameOf(users.email)}) do update ${setOf(users, {
      ...roleChange(isAdmin),
      // Asked of the row as it is by now: one that came while this waited is not among those above.
      passwordHash: sql`case when ${isAdmin}::boolean and ${isUnproven} then null else ${users.passwordHash} end`,
    })}
    -- With a password: a new user, or this one once more.
    where ${passwordHash}::text is null or ${users.id} = ${id}
    returning ${answer}`;
  },
);
