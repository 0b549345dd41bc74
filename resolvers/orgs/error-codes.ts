import { defineErrors, type ErrorRow, edit, row } from '../../core/error-codes.ts';

export const orgErrors = defineErrors({
  SLUG_RESERVED: row(403, 'auth', 'This slug is a reserved word.', { nextActions: [edit] }),
  SLUG_PROTECTED: row(403, 'auth', 'This slug is a protected mark.', { nextActions: [edit] }),
  ORG_HAS_NO_BILLING_WALLET: row(403, 'billing', 'The organization has no wallet that could be billed.'),
  SLUG_TAKEN: row(409, 'conflict', 'Another organization goes by this slug.', { nextActions: [edit] }),
  SLUG_RELEASED: row(409, 'conflict', 'The organization that went by this slug has another one now.'),
  FREE_ORG_OWNER_LIMIT_EXCEEDED: row(
    429,
    'quota',
    'An owner can hold only so many organizations on the prototype tier.',
  ),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof orgErrors, ErrorRow> {}
}
