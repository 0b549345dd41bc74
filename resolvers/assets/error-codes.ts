import { again, defineErrors, type ErrorRow, edit, row } from '../../core/error-codes.ts';

const refused = (message: string) => row(400, 'validation', message, { nextActions: [edit] });

/** Contract 03, section 4. */
export const assetErrors = defineErrors({
  INVALID_SORT: refused('The list has no such order.'),
  INVALID_FILTER_KEY: refused('The list has no such filter.'),
  INVALID_FILTER_VALUE: refused('The value of a filter is not valid.'),
  INVALID_CURSOR_FOR_SORT: refused('The cursor is one of the same list in another order.'),
  SIGNED_URL_INVALID: row(403, 'auth', 'The signed address has expired, or was made for something else.', {
    nextActions: [{ type: 'edit_request', why: 'Have the asset signed again.' }],
  }),
  IMAGE_DECODE_FAILED: row(422, 'validation', 'The bytes are no image that can be read, or not all of it.', {
    nextActions: [{ type: 'edit_request', why: 'Send a whole image, or another media type for what is none.' }],
  }),
  IMAGE_INPUT_TOO_LARGE: row(413, 'validation', 'The image has too many pixels or bytes.', {
    nextActions: [
      { type: 'edit_request', why: 'Send an image of at most 40 megapixels, 12,000 pixels a side and 50 MB.' },
    ],
  }),
  IMAGE_ENCODE_TIMEOUT: row(504, 'storage', 'To read the image and to make its variants took too long.', {
    nextActions: [{ type: 'edit_request', why: 'Send a smaller image, or another format.' }],
  }),
  TOO_MANY_ENCODES_QUEUED: row(429, 'rate_limit', 'Too many images wait to be read.', {
    retryable: true,
    nextActions: [again],
  }),
  ASSET_NOT_FOUND: row(404, 'not_found', 'The project has no such asset.'),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof assetErrors, ErrorRow> {}
}
