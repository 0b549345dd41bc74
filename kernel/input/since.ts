import { z } from 'zod';

/** A moment as milliseconds since the epoch, or as ISO 8601 with a zone. */
export const since = z
  .string()
  .max(40)
  .transform((text, { addIssue }) => {
    const at = /^\d{1,15}$/.test(text) ? new Date(Number(text)) : new Date(isoWithZone.test(text) ? text : Number.NaN);
    if (Number.isNaN(at.getTime()))
      addIssue({ code: 'custom', message: 'must be milliseconds since 1970, or ISO 8601 with a zone' });
    return at;
  });

const isoWithZone = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
