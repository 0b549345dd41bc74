import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { noticeChannels, noticeKinds, noticeStates, notices } from '../../db/schema/notices.ts';
import { computed, pick, type RowOf } from '../../db/sql.ts';
import { firstWallet } from '../identity/shared/known-addresses.ts';

export const noticeColumns = {
  ...pick(
    notices,
    'id',
    'principalId',
    'kind',
    'channel',
    'recipientEmail',
    'eventType',
    'orgId',
    'projectId',
    'payload',
    'redactedAt',
    'isTest',
    'state',
    'error',
    'attempts',
    'createdAt',
  ),
  wallet: computed<string | null>('text', sql`(${firstWallet(notices.principalId)})`),
};

export type Notice = RowOf<typeof noticeColumns>;

/** Contract 02, section 5.2. */
export const NoticeWire = z
  .object({
    id: z.string(),
    recipient_email: z.string().nullable(),
    kind: z.enum(noticeKinds),
    event_type: z.string().nullable(),
    channel: z.enum(noticeChannels),
    delivery_status: z.enum(noticeStates),
    delivery_error: z.string().nullable(),
    attempt_count: z.int(),
    is_test: z.boolean(),
    related_project_id: z.string().nullable(),
    related_organization_id: z.uuid().nullable(),
    related_wallet_address: z.string().nullable(),
    created_at: z.iso.datetime(),
    redacted_at: z.iso.datetime().nullable(),
    payload: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'Notification' });

export const noticeToWire = (notice: Notice): z.output<typeof NoticeWire> => ({
  id: notice.id,
  recipient_email: notice.recipientEmail,
  kind: notice.kind,
  event_type: notice.eventType,
  channel: notice.channel,
  delivery_status: notice.state,
  delivery_error: notice.error,
  attempt_count: notice.attempts,
  is_test: notice.isTest,
  related_project_id: notice.projectId,
  related_organization_id: notice.orgId,
  related_wallet_address: notice.wallet,
  created_at: notice.createdAt.toISOString(),
  redacted_at: notice.redactedAt?.toISOString() ?? null,
  payload: notice.payload === null ? null : { ...notice.payload },
});
