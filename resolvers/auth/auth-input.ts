import { z } from 'zod';
import { isNestedTooDeep } from '../../core/text.ts';
import { emailAddress } from '../../kernel/input/email-address.ts';

/** Most bytes of a password: what lies beyond would be cut off by other implementations. */
export const passwordBytesMax = 72;

export const email = emailAddress.describe('Address of the user; letter case and blanks around it do not matter.');

/** A password that is being set. @param shortest in characters */
export const newPasswordOf = (shortest: number) =>
  z
    .string()
    .refine((text) => [...text].length >= shortest, {
      error: `at least ${shortest} characters`,
      params: { reason: 'weak_password' },
    })
    .refine((text) => Buffer.byteLength(text) <= passwordBytesMax, 'at most 72 bytes')
    .describe(`At least ${shortest} characters and at most 72 bytes.`)
    .meta({ secret: true });

export const newPassword = newPasswordOf(6);

/** A password that is being tried: whatever it is, it is right or wrong. */
export const triedPassword = z.string().max(1024).describe('The password.').meta({ secret: true });

/** The code of a mail. */
export const sixDigits = z
  .string()
  .regex(/^[0-9]{6}$/, 'must be six digits')
  .describe('The code of a mail.')
  .meta({ secret: true });

/** Whether a value is at most so many bytes as JSON. What could not even be written is not. */
export const fitsJson = (value: unknown, bytesMax: number): boolean =>
  value === undefined || (!isNestedTooDeep(value) && Buffer.byteLength(JSON.stringify(value)) <= bytesMax);

/** Something that was given out here; whatever it is, it is good or not. */
export const givenToken = (what: string) => z.string().min(1).max(512).describe(what).meta({ secret: true });
