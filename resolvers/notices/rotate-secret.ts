import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { noticePreferences } from '../../db/schema/notices.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { signedIn } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { requirePasskey } from '../operator-contact/shared/require-passkey.ts';
import { keepPreferences } from './preferences.ts';

/** How long receivers are to take signatures by the previous secret, in hours. Contract 02, section 5.8. */
const graceHours = 24;

export interface RotatedSecret {
  readonly secret: string;
  readonly rotatedAt: Date;
  readonly principalId: string;
}

/** `POST /agent/v1/webhook-secret/rotate`. Contract 02, section 5.8. */
export const rotateWebhookSecret = mutation({
  name: 'notices.rotateSecret',
  tool: 'rotate_webhook_secret',
  command: 'webhook-secret rotate',
  effects: ['destructive'],
  summary: 'Make a new secret that notices to the caller’s webhook are signed with. It is shown this once.',
  access: signedIn('wallet', 'control_plane'),
  stepUp: 'operator.contact',
  credentialBound: true,
  input: z.object({}),
  async handler(work): Promise<RotatedSecret> {
    const { principalId, webhook } = await requirePasskey(work);
    if (webhook === null)
      throw new ServiceError('RESOURCE_NOT_FOUND', {
        message: 'There is no webhook whose notices could be signed.',
        nextActions: [
          {
            type: 'edit_request',
            method: 'PATCH',
            path: '/agent/v1/notifications/preferences',
            why: 'Name a `webhook_url` first.',
          },
        ],
      });
    const secret = `whsec_${randomBytes(32).toString('base64url')}`;
    const webhookSecret = work.services.keys.seal('notice-secrets', Buffer.from(secret), principalId);
    await work.rows(keepPreferences.with({ principalId }));
    const [rotated] = await work.rows(rotateStatement.with({ principalId, webhookSecret }));
    return { secret, rotatedAt: rotated!.secretRotatedAt!, principalId };
  },
  audit: ({ principalId }) => ({
    action: 'notices.secret_rotated',
    object: { kind: 'principal', id: principalId },
  }),
  wire: z.object({
    webhook_signing_secret: z.string().meta({ secret: true }),
    rotated_at: z.iso.datetime(),
    grace_window_hours: z.int(),
    note: z.string(),
  }),
  toWire: ({ secret, rotatedAt }) => ({
    webhook_signing_secret: secret,
    rotated_at: rotatedAt.toISOString(),
    grace_window_hours: graceHours,
    note: `Notices are signed with this secret from now on. Take signatures by the previous one for ${graceHours} hours: what was sent before may still be under way.`,
  }),
});

const rotateStatement = statement(
  'notices.rotate-secret',
  { params: pick(noticePreferences, 'principalId', 'webhookSecret'), row: pick(noticePreferences, 'secretRotatedAt') },
  ({ principalId, webhookSecret }, row) => sql`update ${noticePreferences}
    ${setOf(noticePreferences, {
      webhookSecret,
      secretRotatedAt: sql`now()`,
      webhookFailures: sql`0`,
      webhookDisabledAt: sql`null`,
      updatedAt: sql`now()`,
    })} where ${noticePreferences.principalId} = ${principalId} returning ${row}`,
);
