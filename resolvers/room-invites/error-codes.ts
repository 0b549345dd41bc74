import { defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

export const roomInviteErrors = defineErrors({
  ROOM_INVITE_OPEN_LIMIT: row(403, 'quota', 'The room has as many open invite keys as it may have.'),
  ROOM_INVITE_CLAIM_REQUIRES_WALLET: row(403, 'payment', 'A seat is for the wallet that pays for it.'),
  ROOM_INVITE_KEY_INVALID: row(404, 'not_found', 'There is no such invite key.'),
  ROOM_INVITE_ID_CONFLICT: row(409, 'conflict', 'An invite key with this id exists; make a new one.'),
  ROOM_INVITE_KEY_ALREADY_CLAIMED: row(409, 'conflict', 'The invite key was redeemed by somebody else.'),
  ROOM_INVITE_KEY_EXPIRED: row(410, 'conflict', 'The invite key has expired; ask for a new one.'),
  ROOM_INVITE_KEY_REVOKED: row(410, 'conflict', 'The invite key was taken back.'),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof roomInviteErrors, ErrorRow> {}
}
