import type { Call, Flag } from '../command.ts';
import { local } from '../failure.ts';
import { perform } from '../operation-command.ts';
import { rows } from '../operations/email.ts';
import { requireProject } from '../resolve.ts';

interface MailboxList {
  readonly mailboxes: readonly { readonly mailbox_id: string; readonly slug: string; readonly can_send: boolean }[];
  readonly mailbox_settings: { readonly default_outbound_mailbox_id: string | null };
}

export const mailboxFlag = (unless: string): Flag => ({
  name: 'mailbox',
  type: 'string',
  placeholder: 'mailbox',
  about: `The mailbox, mbx_… or its slug: ${unless} unless told.`,
});

export const projectOf = (call: Call): Promise<string> =>
  requireProject(call.cli, { argument: call.positionals.project_id, '--project': call.flags.text('project') });

export const mailboxesOf = async (call: Call): Promise<MailboxList> =>
  (await perform(call.cli, rows['email.listMailboxes'], { project: await projectOf(call) })) as unknown as MailboxList;

/** @throws AMBIGUOUS_MAILBOX, MAILBOX_NOT_FOUND */
export async function reader(call: Call): Promise<string> {
  const named = call.flags.text('mailbox');
  if (named !== undefined) return named;
  const [only, ...more] = (await mailboxesOf(call)).mailboxes;
  if (only === undefined)
    throw local('MAILBOX_NOT_FOUND', 'The project has no mailbox.', { hint: 'svc email create <slug> makes one.' });
  if (more.length > 0)
    throw local('AMBIGUOUS_MAILBOX', 'The project has several mailboxes.', {
      hint: `Give --mailbox, one of ${[only, ...more].map(({ slug }) => slug).join(', ')}.`,
    });
  return only.mailbox_id;
}
