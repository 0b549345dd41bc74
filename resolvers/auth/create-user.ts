import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { signInThrottles } from '../limits.ts';
import { stepMutation } from '../operation.ts';
import { findProjectTarget } from '../project-target.ts';
import { email } from './auth-input.ts';
import { type AuthStatement, authRow } from './auth-rows.ts';
import { createChallenge } from './challenges.ts';
import {
  managedByEmailStatement as findStatement,
  type ManagedUser,
  ManagedUserWire,
  nothingToUndo,
  onOwnProject,
  ownProject,
} from './project-users.ts';
import { requireOwnUrl } from './redirects.ts';
import { clientState, missingRedirect, redirectUrl, stateText } from './request-link.ts';
import { momentOrNull } from './rows.ts';
import { mailChallengeWith } from './sign-in-mail.ts';
import { forgetStandings } from './standing.ts';
import { countTry } from './throttle.ts';

export interface CreatedUser {
  readonly user: ManagedUser;
  readonly created: boolean;
  readonly inviteSent: boolean;
}

/** `POST /auth/v1/admin/users`. Contract 01, section 3.7. */
export const createUser = stepMutation({
  name: 'users.create',
  summary: 'Make a user of a project who has no password yet, or change one, and invite it by mail if told to.',
  access: onOwnProject(),
  input: z.object({
    project_id: ownProject,
    email,
    is_admin: z.boolean().optional().describe('Whether it manages the project; a known user stays what it is.'),
    send_invite: z.boolean().default(false).describe('Whether a link to sign in is mailed.'),
    redirect_url: redirectUrl.optional(),
    client_state: clientState.optional(),
  }),
  steps: {
    async begin({ services, project, org }, { email, is_admin, send_invite, redirect_url, client_state }) {
      const target = await findProjectTarget(services, project.id);
      if (send_invite && redirect_url === undefined) throw missingRedirect();
      if (redirect_url !== undefined) requireOwnUrl(services, target, 'redirect_url', redirect_url);
      if (send_invite) {
        await countTry(services, target, signInThrottles.mailToAddress, 'mail', email);
        await countTry(services, target, signInThrottles.mailOfProject, 'mails');
      }
      const state = stateText(client_state);
      return {
        ref: {
          projectId: project.id,
          // Should the user be new.
          userId: randomUUID(),
          email,
          ...(is_admin === undefined ? {} : { isAdmin: String(is_admin) }),
          ...(send_invite ? { redirectUrl: redirect_url! } : {}),
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
    async effect({ services }, { projectId, userId, email, isAdmin }) {
      const target = await findProjectTarget(services, projectId!);
      await authRow(services, target, upsertStatement, [email!, isAdmin ?? null, userId!]);
      forgetStandings(services, target);
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

const upsertStatement: AuthStatement = {
  name: 'user_upsert',
  text: `insert into auth.users as u (id, email, is_admin) values ($3::uuid, $1, coalesce($2::boolean, false))
    on conflict (email) do update set is_admin = coalesce($2::boolean, u.is_admin),
      authz_version = u.authz_version + case when coalesce($2::boolean, u.is_admin) <> u.is_admin then 1 else 0 end
    returning to_json(u.id)`,
};
