import { z } from 'zod';
import { onProject } from '../../kernel/access/access.ts';
import { findProjectTarget } from '../../kernel/access/project-target.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { createChallenge } from './challenges.ts';
import { requireManaged, userId } from './project-users.ts';
import { requireRedirect } from './redirects.ts';
import { countTrustedMail, redirectUrl } from './request-link.ts';
import { authActions } from './shared/actions.ts';
import { mailChallengeWith } from './sign-in-mail.ts';

/** What a mail to a user is for: `recovery` lets a new password be set for 15 minutes. */
export const linkIntents = ['signin', 'recovery', 'invite'] as const;

/** `POST /projects/v1/admin/:project_id/users/:user_id/send-link`. */
export const sendUserLink = mutation({
  name: 'users.sendLink',
  tool: 'send_auth_link',
  command: 'auth send-link',
  effects: ['openWorld'],
  summary: 'Mail a user of a project a link to sign in, to recover the account, or as an invitation.',
  path: 'POST /projects/v1/admin/:project_id/users/:user_id/send-link',
  access: onProject(authActions['project:users:write'], ({ project }: { project: string }) => project),
  lifecycle: 'gated',
  input: z.object({
    project: projectId,
    user_id: userId,
    intent: z.enum(linkIntents).default('signin').describe('What the link is for: `signin` unless told.'),
    redirect_url: redirectUrl,
  }),
  async prepare({ services, project }, { user_id, intent, redirect_url }) {
    const target = await findProjectTarget(services, project.id);
    const { id, email } = await requireManaged(services, target, user_id);
    const { href } = await requireRedirect(services, target, 'redirect_url', redirect_url);
    await countTrustedMail(services, target, email);
    // Nobody can answer it until its mail is written, which the transaction orders: without that it is good for nothing.
    const challenge = await createChallenge(services, target, {
      email,
      intent,
      delivery: 'link',
      redirect_url: href,
      client_state: null,
      state_source: 'service_key',
      creates_user: false,
    });
    return { target, id, email, challenge };
  },
  async handler(work, { intent }, { target, id, email, challenge }): Promise<SentLink> {
    await mailChallengeWith(work, target.projectId, challenge);
    return { userId: id, email, intent };
  },
  audit: ({ userId: user_id, intent }, _input, { project }) => ({
    action: 'project.user_link_sent',
    object: { kind: 'project', id: project.id },
    details: { user_id, intent },
  }),
  wire: z.object({ status: z.literal('ok'), email: z.string(), intent: z.enum(linkIntents) }),
  toWire: ({ email, intent }) => ({ status: 'ok' as const, email, intent }),
});

export interface SentLink {
  readonly userId: string;
  readonly email: string;
  readonly intent: (typeof linkIntents)[number];
}
