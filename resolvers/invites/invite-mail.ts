import type { Org } from '../../db/schema/orgs.ts';
import { queueMail } from '../../kernel/durability/outbox.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { inviteMailRate } from '../../kernel/limits/limits.ts';
import { assertWithinRate } from '../../kernel/limits/rate-limit.ts';
import { signInPagePath } from '../identity/shared/page-paths.ts';
import type { MemberRow } from '../orgs/shared/member-row.ts';

/**
 * Queues the mail that tells somebody of an invitation, or of a membership that began at once.
 *
 * @throws RATE_LIMITED when the organization causes too many
 */
export async function mailInvite(work: Work, org: Org, to: string, member: MemberRow): Promise<void> {
  const { services } = work;
  assertWithinRate(services.rateLimiter.take(`invites:${org.id}`, inviteMailRate));
  const name = org.displayName ?? 'an organization without a name';
  const signIn = `Sign in at ${services.settings.mailBaseUrl}${signInPagePath} with this address`;
  const pending = member.inviteExpiresAt;
  await queueMail(work, {
    orgId: org.id,
    to,
    subject: pending === null ? `You are now a member of ${name}` : `You are invited to ${name}`,
    text: [
      pending === null
        ? `You were added to ${name} (${org.id}) as ${member.role}.`
        : `You are invited to join ${name} (${org.id}) as ${member.role}.`,
      '',
      ...(pending === null
        ? [`${signIn}.`]
        : [
            `${signIn} before ${pending.toISOString()}; the membership begins by itself.`,
            ...(member.role === 'owner' || member.role === 'admin' ? ['This role also needs a passkey.'] : []),
            'If you expected no invitation, nothing needs to be done.',
          ]),
    ].join('\n'),
  });
}
