import { again, defineErrors, type ErrorRow, edit, row } from '../../core/error-codes.ts';

export const channelErrors = defineErrors({
  CHANNEL_IDEMPOTENCY_CONFLICT: row(409, 'conflict', 'This key stands for another request.', {
    nextActions: [{ type: 'edit_request', why: 'Send a new request under a new key.' }],
  }),
  CHANNEL_ROUTE_REVISION_STALE: row(
    409,
    'conflict',
    'Somebody has changed it since that revision. Nothing was changed.',
    {
      nextActions: [{ type: 'edit_request', why: 'Read it again, and send the change with the revision it has now.' }],
    },
  ),
  CHANNEL_ROUTE_NAME_TAKEN: row(409, 'conflict', 'The community has another route of this name.', {
    nextActions: [edit],
  }),
  CHANNEL_ROUTE_REVOKED: row(409, 'conflict', 'The route was revoked. Make a new one.'),
  CHANNEL_ROUTE_LIMIT_REACHED: row(409, 'quota', 'There can be no more of them.'),
  CHANNEL_COMMUNITY_NOT_ACTIVE: row(
    422,
    'conflict',
    'The community is not installed: its authority has to approve first.',
    {
      nextActions: [
        {
          type: 'edit_request',
          command: 'svc channel-community activate',
          why: 'Have its authority sign the proof, and activate it.',
        },
      ],
    },
  ),
  CHANNEL_COMMUNITY_INSTALLED: row(409, 'conflict', 'The organization has installed this community already.'),
  CHANNEL_AUTHORITY_PROOF_INVALID: row(422, 'validation', 'The proof does not show that the authority approves.', {
    nextActions: [edit],
  }),
  CHANNEL_NOTIFICATION_SIGNING_UNAVAILABLE: row(
    503,
    'upstream',
    'The key that messages are signed with cannot be used.',
    {
      retryable: true,
      nextActions: [again],
    },
  ),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof channelErrors, ErrorRow> {}
}
