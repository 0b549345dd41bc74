import type { Escalation, EscalationContact } from '../../db/schema/escalations.ts';
import type { Org } from '../../db/schema/orgs.ts';
import type { MailToQueue } from '../../kernel/durability/outbox.ts';
import type { ServiceSettings } from '../../kernel/run/context.ts';

/** Where a page's link leads: to a page that asks for a confirming click. */
export const ackPath = '/escalations/v1/ack';

/** What was written by somebody else, told from what this server says: each line is marked. */
const quoted = (text: string) =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`)
    .join('\n');

/** A page as its contact reads it. The reason is shown as it is, and never in the subject. */
export function pageMail(
  { mailBaseUrl }: Pick<ServiceSettings, 'mailBaseUrl'>,
  org: Pick<Org, 'id' | 'displayName'>,
  escalation: Escalation,
  { email }: Pick<EscalationContact, 'email'>,
  token: string,
): MailToQueue {
  const name = org.displayName ?? 'an organization without a name';
  const { projectId, presenceName, raisedBy } = escalation;
  const link = `${mailBaseUrl}${ackPath}?token=${token}`;
  const who = presenceName === null ? raisedBy : `${presenceName} (${raisedBy})`;
  return {
    orgId: org.id,
    to: email,
    subject: `${escalation.severity === 'high' ? 'Urgent: an' : 'An'} agent asks for you in ${name}`,
    text: [
      `${who} raised an escalation in ${name} (${org.id})${projectId === null ? '' : `, about the project ${projectId}`}:`,
      '',
      quoted(escalation.reason),
      '',
      'To say that you are looking at it, open this page and confirm:',
      link,
      '',
      `Unless somebody does so, the next contacts are paged after ${escalation.deadlineAt.toISOString()}.`,
      `Escalation ${escalation.id}, severity ${escalation.severity}, level ${escalation.level}.`,
      'You get this because an owner of the organization named you as a contact.',
    ].join('\n'),
  };
}
