import { defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

export const contentErrors = defineErrors({
  CONTENT_CHECKSUM_MISMATCH: row(400, 'validation', 'The bytes are not those of the checksum that came with them.', {
    nextActions: [{ type: 'retry', why: 'Send the part again.' }],
  }),
  CONTENT_LENGTH_MISMATCH: row(400, 'validation', 'The part has another length than the plan says.', {
    nextActions: [{ type: 'edit_request', why: 'Send the bytes from byte_start to byte_end of the object.' }],
  }),
  UPLOAD_URL_INVALID: row(403, 'auth', 'The address of the part is not valid any more.', {
    nextActions: [{ type: 'edit_request', why: 'Plan the content again for new addresses.' }],
  }),
  UPLOAD_NOT_FOUND: row(404, 'not_found', 'There is no such upload: it was committed, or has expired.'),
  CONTENT_DIGEST_MISMATCH: row(422, 'validation', 'The content does not have the digest that was declared.', {
    nextActions: [{ type: 'edit_request', why: 'Plan the content again and send its bytes.' }],
  }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof contentErrors, ErrorRow> {}
}
