import { z } from 'zod';
import { projectIdPattern } from '../../../core/ids.ts';
import { cursor, oneLine, orgId, pageLimit, properName, yesOrNo } from '../../../kernel/input/fields.ts';

const label = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** A room's key: a project's id for its default room, or a label. Contract 02, section 2.0. */
export const roomKey = z
  .string()
  .refine((key) => (key.startsWith('prj_') ? projectIdPattern.test(key) : label.test(key)), {
    message: 'must be a project id or a label of a-z, 0-9, dot, dash and underscore, at most 64 characters',
  })
  .describe('Room: a project’s id for its default room, or a label such as `standup`.');

/** The pair every room operation starts with. */
export const roomAddress = { org: orgId, room: roomKey };

/** What a presence shows of itself. Contract 02, section 2.3. */
export const presenceFields = {
  requested_name: properName(64).trim().min(1).optional().describe('Wanted name; a taken one gets a number.'),
  task: oneLine(500).optional().describe('What the presence is doing; for display.'),
  program: oneLine(100).optional().describe('Program that speaks; for display.'),
  model: oneLine(100).optional().describe('Model that speaks; for display.'),
};

export const sessionKey = z
  .string()
  .min(1)
  .max(128)
  .optional()
  .describe('Opaque; brings the same principal back as the same presence.');

export const presenceId = z.string().max(64).optional().describe('Presence that speaks, `prs_…`.');

/** A label that messages carry. */
export const threadId = z.string().min(1).max(128);

/** Which messages are read. Contract 02, section 2.5. */
export const messageFilter = {
  thread_id: threadId.optional().describe('Only messages of this thread.'),
  addressed_to: z
    .literal('me')
    .optional()
    .describe('`me`: only messages that name the presence which `presence_id` or `session_key` says.'),
  presence_id: presenceId,
  session_key: sessionKey,
};

export const unread = yesOrNo.optional().describe('`true`: only messages past what the presence has read.');

/** Where a page of messages begins and how long it may be. */
export const messagePage = {
  cursor: cursor.optional().describe('Only messages after this cursor; the earliest kept when absent.'),
  limit: pageLimit,
};
