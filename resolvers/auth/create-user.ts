import { z } from 'zod';
import { signInThrottles } from '../limits.ts';
import { mutation } from '../operation.ts';
import { findProjectTarget } from '../project-target.ts';
import { email } from './auth-input.ts';
import { type AuthStatement, authRow } from './auth-rows.ts';
import { createChallenge } from './challenges.ts';
import { type ManagedUser, ManagedUserWire, managedUserJson, onOwnProject, ownProject } from './project-users.ts';
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
export const createUser = mutation({
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
  async handler(work, { email, is_admin, send_invite, redirect_url, client_state }): Promise<CreatedUser> {
    const { services, project } = work;
    const target = await findProjectTarget(services, project.id);
    if (send_invite && redirect_url === undefined) throw missingRedirect();
    if (redirect_url !== undefined) requireOwnUrl(services, target, 'redirect_url', redirect_url);
    if (send_invite) {
      await countTry(services, target, signInThrottles.mailToAddress, 'mail', email);
      await countTry(services, target, signInThrottles.mailOfProject, 'mails');
    }
    const made = await authRow<Omit<CreatedUser, 'inviteSent'>>(services, target, upsertStatement, [
      email,
      is_admin ?? null,
    ]);
    if (!made!.created) forgetStandings(services);
    if (send_invite) {
      const id = await createChallenge(services, target, {
        email,
        intent: 'invite',
        delivery: 'link',
        redirect_url: redirect_url!,
        client_state: stateText(client_state),
        state_source: 'service_key',
      });
      await mailChallengeWith(work, project.id, id);
    }
    return { ...made!, inviteSent: send_invite };
  },
  audit: ({ user, created, inviteSent }, _input, { project }) => ({
    action: created ? 'project.user_created' : 'project.user_updated',
    object: { kind: 'project', id: project.id },
    details: { user_id: user.id, is_admin: user.is_admin, invite_sent: inviteSent },
  }),
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
  // A row that was there before has been locked, which shows in `xmax`.
  text: `insert into auth.users as u (email, is_admin) values ($1, coalesce($2::boolean, false))
    on conflict (email) do update set is_admin = coalesce($2::boolean, u.is_admin),
      authz_version = u.authz_version + case when coalesce($2::boolean, u.is_admin) <> u.is_admin then 1 else 0 end
    returning json_build_object('user', ${managedUserJson('u')}, 'created', u.xmax = 0)`,
};
