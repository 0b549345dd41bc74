import { z } from 'zod';
import { invalidField } from '../../core/errors.ts';
import type { AttachmentMeta } from '../../db/schema/mailboxes.ts';
import { textOfHtml } from '../../engines/mail/html-text.ts';
import { type MailText, missingVariable, renderTemplate, templateNames } from '../../engines/mail/templates.ts';
import { writtenAddress } from '../../kernel/input/email-address.ts';
import { oneLine } from '../../kernel/input/fields.ts';

const attachmentsMax = 5;
/** Bytes of all attachments of a mail together, decoded. Contract 02, section 6.3. */
const attachmentBytesMax = 7_000_000;
/** Bytes of a body. */
const bodyBytesMax = 1024 * 1024;

/** Media types that mail servers and people take for programs. */
const programs = new Set(
  `x-msdownload x-msdos-program x-dosexec x-executable x-elf x-mach-binary x-sh x-shellscript
  vnd.microsoft.portable-executable`
    .split(/\s+/)
    .map((name) => `application/${name}`),
);

const body = (what: string) =>
  z
    .string()
    .min(1)
    .refine((text) => Buffer.byteLength(text) <= bodyBytesMax, 'at most 1 MiB')
    .optional()
    .describe(what);

/** What a mail to send is made of, either by a template or raw. Contract 02, section 6.3. */
export const mailInput = {
  to: writtenAddress.describe('The address to write to.'),
  template: z.enum(templateNames).optional().describe('Template of the mail, in place of `subject` and `html`.'),
  variables: z
    .record(z.string().max(64), z.string().max(4_096))
    .optional()
    .describe(
      'Values of the template. `project_invite`: `project_name`, `invite_url`. `magic_link`: `project_name`, `expires_in`, and `link_url` or `code`. `notification`: `project_name`, `message` of at most 500 characters.',
    )
    .meta({ examples: [{ project_name: 'Notes', message: 'Your export is ready.' }] }),
  subject: oneLine(998).min(1).optional().describe('Subject, at most 998 characters.'),
  html: body('The mail in HTML, at most 1 MiB.'),
  text: body('The mail in plain text, at most 1 MiB; made of `html` unless given.'),
  attachments: z
    .array(
      z.object({
        filename: z
          .string()
          .min(1)
          .describe('Name of the file.')
          .meta({ examples: ['report.pdf'] }),
        content_base64: z
          .base64()
          .describe('The bytes, in base64.')
          .meta({ examples: ['aGVsbG8='] }),
        content_type: z
          .string()
          .regex(/^[A-Za-z0-9!#$&^_.+-]{1,127}\/[A-Za-z0-9!#$&^_.+-]{1,127}$/, 'must be a media type, such as text/csv')
          .default('application/octet-stream')
          .describe('Media type; `application/octet-stream` unless given.'),
      }),
    )
    .max(attachmentsMax, `at most ${attachmentsMax}`)
    .optional()
    .describe('Files, at most 5, and 7 MB together.'),
  from_name: oneLine(78)
    .refine((name) => !/[<>"]/.test(name), 'must not contain <, > or "')
    .optional()
    .describe('Name of the sender, at most 78 characters.'),
  in_reply_to: z.string().min(1).max(64).optional().describe('Message of the mailbox that this one answers.'),
};

type MailInput = z.output<z.ZodObject<typeof mailInput>>;

/** An attachment with its bytes. */
export interface Attachment extends AttachmentMeta {
  readonly bytes: Buffer;
}

/** The text of a mail. @throws VALIDATION_FAILED */
export function textOf({ template, variables = {}, subject, html, text }: MailInput): MailText {
  if (template !== undefined) {
    if (subject !== undefined || html !== undefined || text !== undefined)
      throw invalidField('template', 'goes without `subject`, `html` and `text`');
    const missing = missingVariable(template, variables);
    if (missing !== undefined) throw invalidField('variables', `must have ${missing}`);
    if (template === 'notification' && [...variables.message!].length > 500)
      throw invalidField('variables', 'must have a message of at most 500 characters');
    return renderTemplate(template, variables);
  }
  if (subject === undefined) throw invalidField('subject', 'or `template` must be given');
  if (html === undefined) throw invalidField('html', 'must be given with `subject`');
  return { subject, html, text: text ?? textOfHtml(html) };
}

/** @throws VALIDATION_FAILED */
export function attachmentsOf({ template, attachments = [] }: MailInput): Attachment[] {
  if (template !== undefined && attachments.length > 0) throw invalidField('attachments', 'go without a template');
  const read = attachments.map(({ filename, content_base64, content_type }): Attachment => {
    const bytes = Buffer.from(content_base64, 'base64');
    return { filename: baseNameOf(filename), content_type, size_bytes: bytes.length, bytes };
  });
  const program = read.find(({ content_type }) => programs.has(content_type.toLowerCase()));
  if (program !== undefined) throw invalidField('attachments', `must not be a program (${program.content_type})`);
  const bytes = read.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  if (bytes > attachmentBytesMax) throw invalidField('attachments', 'must not exceed 7 MB together');
  return read;
}

/** What remains of a path, without anything that a header or a disk could take for more than a name. */
const baseNameOf = (filename: string) =>
  (filename.split(/[/\\]/).at(-1) ?? '')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
    .slice(0, 255) || 'attachment';
