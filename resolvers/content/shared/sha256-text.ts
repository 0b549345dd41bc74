import { z } from 'zod';

/** A digest as clients write it. */
export const sha256Text = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256: 64 lower-case hexadecimal digits');
