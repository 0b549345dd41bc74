import { notices } from '../../db/schema/notices.ts';
import type { Telegram } from '../../engines/chat/telegram.ts';
import { leasedStatements } from '../../kernel/durability/leased-statements.ts';
import type { LeasedKind, LeasedWork } from '../../kernel/durability/leased-work.ts';
import { sendNotice } from './send-notice.ts';

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Sends notices to webhooks and chats, on this node. */
    readonly noticeDeliveries: LeasedWork;
    /** The bot that tells notices in chats; undefined: none does. */
    readonly telegram: Telegram | undefined;
  }
}

/** How long a node that has a notice is believed to be alive, in seconds. */
const leaseSeconds = 60;

const leasedNotices = leasedStatements(
  { table: notices, id: notices.id, lane: notices.principalId, dueAt: notices.dueAt, lease: notices.lease },
  leaseSeconds,
);

/** Notices to webhooks and chats, in turns between those who are told. */
export const noticeWork: LeasedKind = {
  statements: leasedNotices,
  run: sendNotice,
  atOnce: 10,
  perLane: 2,
  renewMs: 15_000,
};
