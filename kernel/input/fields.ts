import { z } from 'zod';
import { textFault } from '../../core/text.ts';

/** Inputs that many operations share, each with its one rule and description. */

export const orgId = z.uuid('must be an organization id (a UUID)').toLowerCase().describe('Organization, a UUID.');

/** Any text may be the id of an absent project: a malformed one is refused like an absent one. Contract 01, section 1.12. */
export const projectId = z.string().min(1).max(1024).describe('Project, for example `prj_0kz3m`.');

/** The project of a request whose credential may be for one alone. */
export const itsProject = projectId.optional().describe('Project; that of the credential where it is for one alone.');

/** Any text may be the id of an absent principal. */
export const principalId = z.string().min(1).max(1024).describe('Principal, for example `prn_0kz3m`.');

/** In any letter case: which letters are capitals is a checksum for people, and only signatures are held to it. */
export const walletAddress = z
  .string()
  .regex(/^0[xX][0-9a-fA-F]{40}$/, 'must be a wallet address: 0x and 40 hexadecimal digits')
  .toLowerCase()
  .meta({ examples: ['0x00000000000000000000000000000000000000a1'] });

// biome-ignore lint/suspicious/noControlCharactersInRegex: the rule is about them.
const controls = /[\u0000-\u001f\u007f-\u009f]/;

/** Something to see: neither blank, nor a control or a character that fonts leave out. */
export const shows = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** One line of text for people; `max` counts characters, not the units of an encoding. */
export const oneLine = (max: number) =>
  z
    .string()
    .normalize('NFC')
    .refine((text) => [...text].length <= max, `at most ${max} characters`)
    .refine((text) => !controls.test(text), 'must not contain control characters');

/** What names are told apart by looking at: one line that shows all its characters. */
export const properName = (max: number) =>
  oneLine(max).refine((text) => !/\p{Cf}/u.test(text), 'must not contain format characters');

/** What people call a thing: as above, with the joiners that some scripts and emoji are written with. */
export const givenName = (max: number) =>
  oneLine(max).refine((text) => !/(?![\u200c\u200d])\p{Cf}/u.test(text), 'must not contain format characters');

/** What addresses are made of: lower case, no hyphen at an end nor two together. Nothing is folded. */
export const addressForm = (max: number) =>
  z
    .string()
    .min(1, 'at least 1 character')
    .max(max, `at most ${max} characters`)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters and digits, with single hyphens between them');

/** A moment that says where it is: ISO 8601 with `Z` or an offset. */
export const moment = z.iso
  .datetime({ offset: true, error: 'must be a moment in ISO 8601 with a zone, such as 2026-03-06T00:00:00Z' })
  .transform((text) => new Date(text));

/** A number as a query string spells it: decimal digits alone. Anything else stays what it is, and is refused. */
const digits = (given: unknown) => (typeof given === 'string' && /^-?\d+$/.test(given) ? Number(given) : given);

/** A truth value as a query string spells it. Callers in the program give a boolean. */
const spelledOut: (given: boolean) => unknown = (given: unknown) =>
  given === 'true' ? true : given === 'false' ? false : given;

/** Yes or no, in JSON or in a query string. */
export const yesOrNo = z.preprocess(spelledOut, z.boolean('must be true or false'));

// Not `int()`, which refuses what is too large to be exact: that may be clamped.
const whole = z.number('must be a whole number').refine(Number.isInteger, 'must be a whole number');

/** A whole number, in JSON or in a query string. */
export const wholeNumber = z.preprocess(digits, whole);

/** A whole number between two others, in JSON or in a query string. */
export const wholeNumberFrom = (min: number, max: number) => z.preprocess(digits, z.int().min(min).max(max));

/** Rows per page, clamped to 200; below one, or no whole number, is refused. Contract 01, section 1.17. */
export const pageLimitOf = (usual: number) =>
  z
    .preprocess(digits, whole.min(1, 'must be at least 1'))
    .default(usual)
    .transform((limit) => Math.min(limit, 200))
    .describe(`Rows per page: ${usual} unless told, at most 200.`);

/** Rows per page: 50 unless told. */
export const pageLimit = pageLimitOf(50);

/** A cursor as this server gave it out. Any text may be one: what an unusable cursor means is for the list to say. */
export const cursor = z
  .string()
  // What cannot even be stored is nowhere kept, and no more of an error than any other text.
  .overwrite((given) => (textFault(given) === undefined ? given : 'none of ours'))
  .describe('Cursor from an earlier answer.');

const splitAtCommas = (given: unknown) =>
  typeof given === 'string' ? given.split(',').filter((item) => item !== '') : given;

/** A list with commas, as addresses have it, or an array. Empty items say nothing. @param max how many items it may have */
export const commaList = (item: z.ZodString, max: number, what: string) =>
  z.preprocess(splitAtCommas, z.array(item).max(max, `at most ${max} ${what}`));
