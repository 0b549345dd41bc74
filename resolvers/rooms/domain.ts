import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { roomClaims } from '../../db/schema/claims.ts';
import { eventKeys } from '../../db/schema/events.ts';
import { roomSends } from '../../db/schema/rooms.ts';
import { today } from '../../kernel/limits/daily-quota.ts';
import { domain } from '../../kernel/run/domain.ts';
import { ackMessage } from './ack-message.ts';
import { archiveRoom, unarchiveRoom } from './archive-room.ts';
import { createClaim } from './claims/create-claim.ts';
import { listClaims } from './claims/list-claims.ts';
import { openClaims } from './claims/open-claims.ts';
import { releaseClaim } from './claims/release-claim.ts';
import { roomErrors } from './error-codes.ts';
import { roomEvents } from './event-types.ts';
import { getMessage } from './get-message.ts';
import { getPresence } from './get-presence.ts';
import { getRoom } from './get-room.ts';
import { joinRoom } from './join-room.ts';
import { leaveRoom } from './leave-room.ts';
import { listMessages } from './list-messages.ts';
import { listPresences } from './list-presences.ts';
import { listRooms } from './list-rooms.ts';
import { mirrorMessagesJob, mirrorMessagesTask } from './mirror-messages.ts';
import { openPresences } from './open-presences.ts';
import { openRoom } from './open-room.ts';
import { messagesKeptDays, pruneMessages } from './prune-messages.ts';
import { sendMessage } from './send-message.ts';
import { roomActions } from './shared/actions.ts';

export const rooms = domain('rooms', {
  errors: roomErrors,
  actions: roomActions,
  events: roomEvents,
  operations: [
    getMessage,
    getPresence,
    getRoom,
    joinRoom,
    listMessages,
    listPresences,
    listRooms,
    openRoom,
    sendMessage,
    ackMessage,
    leaveRoom,
    archiveRoom,
    unarchiveRoom,
    openPresences,
    createClaim,
    listClaims,
    releaseClaim,
    openClaims,
  ],
  jobs: [{ task: mirrorMessagesTask, run: mirrorMessagesJob, everyMinutes: 1 }],
  expires: [
    { table: roomSends, when: sql`${roomSends.day} < ${today} - 1` },
    // Over for so long: none lasts more than a day.
    { table: roomClaims, when: isPast(roomClaims.expiresAt, '90 days') },
    // Of messages that are deleted themselves.
    {
      table: eventKeys,
      when: sql`${eventKeys.key} like 'message:%' and ${isPast(eventKeys.recordedAt, `${messagesKeptDays + 10} days`)}`,
      which: 'of messages',
    },
  ],
  housekeeping: {
    'prune messages': ({ ctx }) => pruneMessages(ctx),
  },
});
