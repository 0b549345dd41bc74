import { defineErrors, type ErrorRow, edit, row } from '../../core/error-codes.ts';

const look = {
  nextActions: [
    { type: 'view_transfer', method: 'GET', path: '/agent/v1/transfers/:id', why: 'See what became of it.' },
  ],
};

/** Contract 01, section 5.12, and 04, section 3.4. */
export const transferErrors = defineErrors({
  INVALID_RECIPIENT: row(400, 'validation', 'A project is not offered to whoever has it.', { nextActions: [edit] }),
  INVALID_BILLING_POLICY: row(400, 'validation', 'The only policy is migrate: the recipient pays from then on.', {
    nextActions: [edit],
  }),
  INVALID_RETAIN_ROLE: row(400, 'validation', 'Whoever offers a project can stay as developer alone.', {
    nextActions: [edit],
  }),
  TRANSFER_NOT_FOUND: row(404, 'not_found', 'There is no such transfer.'),
  PENDING_TRANSFER_EXISTS: row(409, 'conflict', 'The project is offered to somebody already.', {
    nextActions: [
      { type: 'cancel_transfer', method: 'POST', path: '/agent/v1/transfers/:id/cancel', why: 'Take that offer back.' },
    ],
  }),
  ALREADY_OWNED: row(409, 'conflict', 'The organization has the project already.'),
  RECIPIENT_ORGANIZATION_NOT_ACTIVE: row(
    409,
    'conflict',
    'The organization that would get the project is not active.',
    {
      nextActions: [{ type: 'renew_tier', method: 'POST', path: '/tiers/v1/:tier', why: 'Renew its lease first.' }],
    },
  ),
  PROJECT_NOT_TRANSFERABLE: row(409, 'conflict', 'The project cannot be handed over as it is now.', {
    nextActions: [{ type: 'edit_request', why: 'Finish what `details.reasons` names, and try again.' }],
  }),
  PROJECT_OWNER_CHANGED: row(409, 'conflict', 'The project belongs to somebody else by now.', look),
  TRANSFER_ALREADY_PROCESSED: row(409, 'conflict', 'The transfer is over.', look),
  WRONG_COMPLETION_FOR_TRANSFER_KIND: row(409, 'conflict', 'A transfer of this kind is taken up in another way.'),
  TRANSFER_EXPIRED: row(410, 'conflict', 'The offer has expired; the project can be offered again.'),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof transferErrors, ErrorRow> {}
}
