import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { feedback } from '../../db/schema/feedback.ts';
import { memberships, orgs } from '../../db/schema/orgs.ts';
import { projectGrants, projects } from '../../db/schema/projects.ts';
import { insertInto, pick, statement, typed } from '../../db/sql.ts';
import { anyone, signedIn } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { oneLine, projectId } from '../../kernel/input/fields.ts';
import { spendDaily } from '../../kernel/limits/daily-quota.ts';
import { feedbackPerDay } from '../../kernel/limits/limits.ts';
import { mutation, query } from '../../kernel/run/operation.ts';

/** Longest message, in bytes of UTF-8. Contract 04, section 3.8. */
const messageBytes = 8_192;

/** A person's words: in no log. */
const personal = { secret: true } as const;

/** `POST /feedback/v1`, and `/message/v1`. Contract 04, section 3.8. */
export const sendFeedback = mutation({
  name: 'feedback.send',
  tool: 'send_feedback',
  command: 'feedback send',
  summary: 'Tell whoever runs the platform something. It is read by them, and answered by nothing.',
  access: signedIn('wallet', 'control_plane', 'delegate'),
  input: z.object({
    message: z
      .string()
      .trim()
      .min(1)
      .refine((text) => Buffer.byteLength(text) <= messageBytes, `at most ${messageBytes} bytes`)
      .describe('What you want to say: 8,192 bytes at most.')
      .meta(personal),
    about: projectId.optional().describe('The project that it is about.'),
    handle: oneLine(64).optional().describe('How you want to be called, at most 64 characters.').meta(personal),
    return_address: oneLine(256).optional().describe('Where an answer reaches you, at most 256.').meta(personal),
  }),
  async handler(work, { message, about = null, handle, return_address }): Promise<{ readonly orgId: string }> {
    const principalId = work.principal.principal.id;
    const orgId = await standingOrg(work, principalId, about);
    await spendDaily(work, {
      orgId,
      resource: 'feedback_per_day',
      limit: feedbackPerDay,
      message: `An organization sends feedback ${feedbackPerDay} times a day at most.`,
    });
    await work.rows(
      insertStatement.with({
        id: work.services.newId('fbk'),
        orgId,
        principalId,
        projectId: about,
        message,
        handle: handle ?? null,
        returnAddress: return_address ?? null,
      }),
    );
    return { orgId };
  },
  audit: ({ orgId }) => ({ action: 'feedback.sent', object: { kind: 'organization', id: orgId }, orgId }),
  wire: z.object({ status: z.literal('sent') }),
  toWire: () => ({ status: 'sent' as const }),
});

/** What feedback is, for clients that ask before they send. */
export interface FeedbackTerms {
  readonly messageBytes: number;
  readonly perDay: number;
}

/** `GET /feedback/v1`. Contract 04, section 3.8. */
export const describeFeedback = query({
  name: 'feedback.describe',
  tool: 'describe_feedback',
  command: 'feedback describe',
  summary: 'How feedback is sent to whoever runs the platform.',
  path: 'GET /feedback/v1',
  access: anyone(),
  input: z.object({}),
  handler: async (): Promise<FeedbackTerms> => ({ messageBytes, perDay: feedbackPerDay }),
  wire: z.object({
    send: z.object({ method: z.literal('POST'), path: z.literal('/feedback/v1') }),
    members: z.array(z.string()),
    message_bytes_max: z.int(),
    per_day: z.int().describe('How often one organization may send.'),
    readable: z.literal(false).describe('What was sent is read by whoever runs the platform alone.'),
  }),
  toWire: (terms) => ({
    send: { method: 'POST' as const, path: '/feedback/v1' as const },
    members: ['message', 'project_id', 'handle', 'return_address'],
    message_bytes_max: terms.messageBytes,
    per_day: terms.perDay,
    readable: false as const,
  }),
});

/**
 * An active organization that a principal belongs to, or works for by a grant: that of the project, where one is named.
 *
 * @throws FEEDBACK_TIER_REQUIRED
 */
async function standingOrg(work: Work, principalId: string, project: string | null): Promise<string> {
  const [found] = await work.rows(standingStatement.with({ principalId, project }));
  if (found === undefined) throw new ServiceError('FEEDBACK_TIER_REQUIRED');
  return found.id;
}

const standingStatement = statement(
  'feedback.standing',
  {
    params: { principalId: typed<string>('text'), project: typed<string | null>('text') },
    row: pick(orgs, 'id'),
  },
  ({ principalId, project }, row) => sql`select ${row} from ${orgs} where ${orgs.lifecycleState} = 'active'
    and ${orgs.id} in (
      select ${memberships.orgId} from ${memberships}
      where ${memberships.principalId} = ${principalId} and ${memberships.status} = 'active'
      union
      select ${projectGrants.orgId} from ${projectGrants} where ${projectGrants.principalId} = ${principalId}
        and ${projectGrants.revokedAt} is null and coalesce(${projectGrants.expiresAt} > now(), true))
    order by exists (select from ${projects} where ${projects.orgId} = ${orgs.id} and ${projects.id} = ${project}) desc,
      ${orgs.createdAt}, ${orgs.id} limit 1`,
);

const insertStatement = statement(
  'feedback.insert',
  {
    params: pick(feedback, 'id', 'orgId', 'principalId', 'projectId', 'message', 'handle', 'returnAddress'),
  },
  (given) => insertInto(feedback, given),
);
