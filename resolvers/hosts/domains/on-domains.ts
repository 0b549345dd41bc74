import { onProject } from '../../../kernel/access/access.ts';
import type { Action } from '../../../kernel/access/permissions.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { mailboxActions } from '../../mailboxes/shared/actions.ts';

/** The rule of an operation on domains: each names its project. */
export const onDomainsOf = (action: Action) => onProject(action, ({ project }: { project: string }) => project);

const onMail = onDomainsOf(mailboxActions['project:mail:write']);

/** Admits only who may also use the mail of the project: who says which mailbox an address is reads what comes to it. */
export const admitToMail = async (ctx: Context, project: string): Promise<void> =>
  void (await onMail.authorise(ctx, await ctx.caller(), { project }));
